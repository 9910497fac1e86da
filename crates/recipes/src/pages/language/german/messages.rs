//! What can go wrong, in German. The messages come from everywhere, in English and with values in them: `{}` stands for one.

/// The German of a message, with its values in the same places.
pub(super) fn of(english: &str) -> Option<String> {
    MESSAGES.iter().find_map(|(known, german)| {
        let mut values = values(known, english)?.into_iter();
        let mut parts = german.split("{}");
        let mut said = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            said.push_str(values.next().unwrap_or_default());
            said.push_str(part);
        }
        Some(said)
    })
}

/// What stands for each `{}` of a pattern in a text, if the rest is the same.
fn values<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut fixed = pattern.split("{}");
    let mut rest = text.strip_prefix(fixed.next()?)?;
    let mut values = Vec::new();
    let mut fixed = fixed.peekable();
    while let Some(part) = fixed.next() {
        let end = if fixed.peek().is_none() {
            rest.ends_with(part).then(|| rest.len() - part.len())?
        } else {
            rest.find(part)?
        };
        values.push(rest.get(..end)?);
        rest = rest.get(end + part.len()..)?;
    }
    rest.is_empty().then_some(values)
}

#[rustfmt::skip]
const MESSAGES: &[(&str, &str)] = &[
    ("a recipe needs a title", "Ein Rezept braucht einen Titel"),
    ("expected {} to {} characters, got {}", "Erlaubt sind {} bis {} Zeichen, es sind {}"),
    ("the character U+0000 cannot be stored; leave it out", "Das Zeichen U+0000 lässt sich nicht speichern; lass es weg"),
    ("expected a whole number in the range {}-{}, got {}", "Erlaubt ist eine ganze Zahl von {} bis {}, nicht {}"),
    ("expected a whole number in the range {}-{}", "Erlaubt ist eine ganze Zahl von {} bis {}"),
    ("expected an amount from 0 to 1000000, got {}", "Erlaubt ist eine Menge von 0 bis 1000000, nicht {}"),
    ("expected at most {} entries, got more", "Höchstens {} Einträge haben Platz, es sind mehr"),
    ("“{}…” is too long for one ingredient", "„{}…“ ist zu lang für eine Zutat"),
    ("a recipe has at most {} tags; remove some first", "Ein Rezept hat höchstens {} Stichworte; entferne erst welche"),
    ("a recipe has at most {} photos; remove some first", "Ein Rezept hat höchstens {} Fotos; entferne erst welche"),
    ("the recipe has {} steps", "Das Rezept hat {} Schritte"),
    ("expected a day such as `{}`", "Erlaubt ist ein Tag wie `{}`"),
    ("not an e-mail address such as `{}`: `{}`", "Das ist keine E-Mail-Adresse wie `{}`: `{}`"),
    ("not a time zone such as `{}`: `{}`", "Das ist keine Zeitzone wie `{}`: `{}`"),
    ("an address is needed", "Die Adresse fehlt"),
    ("choose a file first", "Wähle erst eine Datei"),
    ("choose a picture first", "Wähle erst ein Bild"),
    ("choose a day", "Wähle einen Tag"),
    ("choose a family", "Wähle eine Familie"),
    ("choose a recipe, or write what there is", "Wähle ein Rezept, oder schreib, was es gibt"),
    ("write what to buy", "Schreib, was einzukaufen ist"),
    ("give an address, a text or a file", "Gib eine Adresse, einen Text oder eine Datei an"),
    ("there were too many attempts to sign in; wait a quarter of an hour", "Es gab zu viele Versuche, sich anzumelden; warte eine Viertelstunde"),
    ("too many people are signing in at this moment; try again in a minute", "Gerade melden sich zu viele an; versuch es in einer Minute wieder"),

    ("Recipe not found: {}", "Dieses Rezept gibt es nicht, oder nicht mehr: {}"),
    ("Photo of recipe not found: {}", "Dieses Foto gibt es nicht, oder nicht mehr"),
    ("Share link not found: it was taken back, is too old, or never was", "Diesen Link gibt es nicht: er wurde zurückgenommen, ist zu alt, oder es gab ihn nie"),
    ("Planned meal not found: {}", "Dieses Essen steht nicht mehr auf dem Plan"),
    ("Item of the shopping list not found: {}", "Das steht nicht mehr auf der Einkaufsliste"),
    ("Shopping list not found: {}", "Diese Einkaufsliste gibt es nicht: {}"),
    ("Member not found: {}", "Dieses Mitglied gibt es nicht: {}"),
    ("Family not found: {}", "Diese Familie gibt es nicht"),
    ("API key not found: {}", "Diesen Schlüssel gibt es nicht"),
    ("invalid format: not a UUID such as `{}`, so there is no such thing", "Das ist keine Kennung wie `{}`, also gibt es das nicht"),
    ("there is no such page; the first page has the way to all of them", "Diese Seite gibt es nicht; von der ersten Seite führt der Weg zu allen"),
    ("a recipe with the title `{}` already exists; choose another title or update the one that is there",
     "Ein Rezept mit dem Titel „{}“ gibt es schon; wähle einen anderen Titel oder ändere das vorhandene"),
    ("the recipe was changed meanwhile and is at version {}; read it again and repeat the change",
     "Das Rezept wurde inzwischen geändert (Fassung {}); lade es neu und wiederhole die Änderung"),
    ("this takes the role `editor` in the family; ask an owner of the family for it", "Dafür musst du in der Familie schreiben dürfen; bitte jemanden darum, der sie verwaltet"),
    ("this takes the role `owner` in the family; ask an owner of the family for it", "Das darf nur, wer die Familie verwaltet"),
    ("this takes the role `{}` in the family; ask an owner of the family for it", "Dafür braucht es in der Familie die Rolle `{}`; bitte jemanden darum, der die Familie verwaltet"),
    ("the last owner of a family stays one; make somebody else an owner first", "Jemand muss die Familie verwalten; gib erst jemand anderem dieses Recht"),
    ("the last family cannot be removed; make another one first", "Die letzte Familie lässt sich nicht entfernen; leg erst eine andere an"),
    ("a shopping list holds at most {} items; clear what is bought first", "Eine Einkaufsliste hat höchstens {} Einträge; räum erst ab, was gekauft ist"),
    ("database unavailable: {}", "Die Datenbank ist nicht erreichbar: {}"),
    ("nobody is signed in; sign in again", "Niemand ist angemeldet; melde dich neu an"),
    ("Go back, load the page again and repeat what you did. Nothing was changed.", "Geh zurück, lade die Seite neu und wiederhole, was du getan hast. Nichts wurde geändert."),
    ("the body broke off, or has more than {} bytes; send less", "Die Übertragung brach ab, oder es sind mehr als {} Bytes; schick weniger"),
    ("the file did not arrive within {} minutes; send it again", "Die Datei kam nicht innerhalb von {} Minuten an; schick sie noch einmal"),
    ("the body is not a form of type `{}`", "Das ist kein Formular der Art `{}`"),
    ("nobody but this machine can open this address; for the home network, serve the pages with `recipe-vault serve --host 0.0.0.0` and open them by this machine's address there",
     "nur dieses Gerät kann diese Adresse öffnen; für das Heimnetz starte die Seiten mit `recipe-vault serve --host 0.0.0.0` und öffne sie dort unter der Adresse dieses Geräts"),
    ("the picture has {} bytes; at most {} are taken: make it smaller", "Das Bild hat {} Bytes; höchstens {} gehen: mach es kleiner"),
    ("the file is not a JPEG, PNG, WebP or GIF picture", "Die Datei ist kein Bild in JPEG, PNG, WebP oder GIF"),

    ("no recipe was found; it must be a page with schema.org data, such data itself, a recipe as text with ingredients and method, or a file of Paprika, Mealie, Nextcloud Cookbook or Recipe Vault",
     "Kein Rezept wurde gefunden; es braucht eine Seite mit schema.org-Daten, solche Daten selbst, ein Rezept als Text mit Zutaten und Zubereitung, oder eine Datei von Paprika, Mealie, Nextcloud Cookbook oder Recipe Vault"),
    ("it has more than {} bytes; import it in parts", "Es hat mehr als {} Bytes; importiere es in Teilen"),
    ("it has more than {} recipes; import it in parts", "Es hat mehr als {} Rezepte; importiere es in Teilen"),
    ("its data has more than {} values; import it in parts", "Seine Daten haben mehr als {} Werte; importiere es in Teilen"),
    ("what is in it takes more than {} MB; import it in parts", "Was darin ist, braucht mehr als {} MB; importiere es in Teilen"),
    ("it unpacks to more than {} bytes, which no cookbook does; nothing was imported", "Entpackt hat es mehr als {} Bytes, wie kein Kochbuch; nichts wurde importiert"),
    ("the file is damaged: {}; export it again", "Die Datei ist beschädigt: {}; exportiere sie neu"),
    ("the archive is damaged: `{}`, line {}: {}", "Die Sicherung ist beschädigt: `{}`, Zeile {}: {}"),
    ("the file is no archive of Recipe Vault; import it instead", "Die Datei ist keine Sicherung von Recipe Vault; importiere sie stattdessen"),
    ("the archive has format {}, and this program knows {}; install the newer version that wrote it",
     "Die Sicherung hat das Format {}, und dieses Programm kennt {}; installiere die neuere Fassung, die sie geschrieben hat"),
    ("this preview was used already or is too old; import once more to see what there is", "Diese Vorschau wurde schon benutzt oder ist zu alt; importiere noch einmal"),
    ("`{}` was cut to {} characters", "`{}` wurde auf {} Zeichen gekürzt"),
    ("only the first {} entries of `{}` were kept", "Nur die ersten {} Einträge von `{}` wurden behalten"),
    ("a recipe without a name was left out", "Ein Rezept ohne Namen wurde weggelassen"),
    ("the picture was left out: {}", "Das Bild wurde weggelassen: {}"),
    ("this is not a URL ({}); give one that starts with `https://`", "Das ist keine Adresse ({}); gib eine an, die mit `https://` beginnt"),
    ("the URL names no host; give one that starts with `https://` and a host", "Der Adresse fehlt der Rechner; gib eine an, die mit `https://` beginnt"),
    ("`{}` cannot be fetched; use a URL that starts with `https://`", "`{}` lässt sich nicht holen; nimm eine Adresse, die mit `https://` beginnt"),
    ("`{}` is at an address that is {}, and only public ones may be reached; use another host, or have its owner allow this one",
     "`{}` hat keine öffentliche Adresse ({}), und nur solche werden geholt; nimm eine andere Seite"),
    ("cannot find the address of `{}`: {}; check the name and the network", "`{}` lässt sich nicht finden: {}; prüf den Namen und das Netz"),
    ("cannot connect to `{}`: {}; check that it is up, or try again later", "Keine Verbindung zu `{}`: {}; versuch es später wieder"),
    ("`{}` took longer than {} s; try again later or allow more time", "`{}` brauchte länger als {} s; versuch es später wieder"),
    ("the answer of `{}` has more than {} bytes; ask for less", "Die Antwort von `{}` hat mehr als {} Bytes"),
    ("`{}` answered {}; {}", "`{}` antwortete mit {}; {}"),
];

#[cfg(test)]
mod tests {
    use super::{MESSAGES, of};

    #[test]
    fn values_stay_where_they_are() {
        assert_eq!(
            of("expected 1 to 200 characters, got 0").as_deref(),
            Some("Erlaubt sind 1 bis 200 Zeichen, es sind 0")
        );
        assert_eq!(
            of("expected a whole number in the range 1-1000, got -5").as_deref(),
            Some("Erlaubt ist eine ganze Zahl von 1 bis 1000, nicht -5")
        );
        assert_eq!(of("write what to buy").as_deref(), Some("Schreib, was einzukaufen ist"));
        assert_eq!(of("write what to buy, and where"), None);
    }

    #[test]
    fn every_value_of_a_message_is_told_or_left_out_on_purpose() {
        for (english, german) in MESSAGES {
            let places = |text: &str| text.matches("{}").count();
            assert!(places(german) <= places(english), "{english}");
        }
    }
}
