"""What stands on the pages: prose, programs, and personal data with things that only look like it."""

EN = """Save changes before closing the window
The connection was reset while loading the page
Settings are applied to all open documents
Choose a folder for exported images
Last synced three minutes ago by the server
Build finished with two warnings and no errors
Invite people to review this pull request
Your subscription renews on the first of July
Drag files here or browse your computer
Keyboard shortcuts can be changed at any time
Unable to parse the response from upstream
Showing rows one to fifty of many results
Enable hardware acceleration when available
Remember my choice and do not ask again
Restart the application to finish updating
Network traffic is encrypted in transit
Merge conflicts must be resolved manually
Quarterly revenue grew faster than expected
Select at least one column to continue
Permission denied while opening the device
Zoom to fit the whole canvas in view
Recently opened projects appear on this list
Deployment to production requires approval
Invoice total includes shipping and taxes""".split("\n")
DE = """Änderungen vor dem Schließen speichern
Die Verbindung wurde während des Ladens zurückgesetzt
Bitte wählen Sie einen Ordner für die Größenänderung
Für größere Dateien benötigen Sie mehr Speicherplatz
Übermäßig viele Anfragen wurden vom Server abgelehnt
Öffnen Sie die Einstellungen über das Menü oben rechts
Das Passwort muss mindestens zwölf Zeichen enthalten
Schlüsselbund konnte nicht entsperrt werden
Weiß der Empfänger schon über die Lieferung Bescheid
Möchten Sie die Aufzeichnung jetzt überprüfen
Gerät außerhalb der Reichweite oder ausgeschaltet
Straße und Hausnummer dürfen nicht leer sein""".split("\n")
JA = """設定を変更する前に保存してください
ファイルをここにドラッグしてください
接続がリセットされました
検索結果が見つかりませんでした
新しいバージョンが利用可能です
パスワードを入力してください
この操作は元に戻すことができません
画面全体をキャプチャします
言語と地域の設定を開く
プロジェクトを再読み込みしています
更新を完了するには再起動が必要です
選択した範囲をコピーしました""".split("\n")
CODE = """fn parse_header(buf: &[u8]) -> Result<Header, Error> {
    let mut cursor = Cursor::new(buf);
    if cursor.remaining() < HEADER_LEN { return Err(Error::Short); }
    let magic = cursor.read_u32_le()?;
    assert_eq!(magic, 0x1A45DFA3, "bad magic {magic:#x}");
    for (i, item) in items.iter().enumerate().skip(1) {
        total += item.price * item.qty as f64;
    }
const retry = async (fn, n = 3) => { while (n--) await fn(); };
export default { name: 'app', data: () => ({ open: false }) };
SELECT id, name FROM users WHERE age >= 18 ORDER BY name;
def main(argv: list[str]) -> int:
    return 0 if all(x != y for x, y in pairs) else 1
git commit -m "fix: off-by-one in tile_positions()"
docker run --rm -it -p 8080:80 -v $PWD:/src nginx:latest
#include <stdio.h>
int main(void) { printf("%d\\n", 42); return 0; }
kubectl get pods -n kube-system | grep -v Running
export PATH="$HOME/.cargo/bin:$PATH"
x = [i**2 for i in range(10) if i % 2 == 0]
{"status": "ok", "items": [1, 2, 3], "next": null}
impl<T: Clone + Debug> Stack<T> { fn peek(&self) -> Option<&T>""".split("\n")
FIRST = "anna ben clara david emma felix greta hugo ines jonas karla liam mia noah olga paul rosa sven tina uwe vera will".split()
LAST = "adler becker costa dubois evans fischer garcia huber ivanov jensen keller lopez meyer novak olsen peters rossi silva".split()
DOMAINS = "example.com example.org mail.test corp.example acme.io dev.example.net post.example.de startup.ai".split()


def luhn_complete(prefix, length, dice):
    """Digits that begin with `prefix` and pass the check that card numbers pass."""
    digits = [int(c) for c in prefix] + [dice.randrange(10) for _ in range(length - len(prefix) - 1)]
    total = 0
    for index, digit in enumerate(reversed(digits)):
        if index % 2 == 0:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return "".join(map(str, digits)) + str((10 - total % 10) % 10)


def some(dice, count, alphabet):
    return "".join(dice.choice(alphabet) for _ in range(count))


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "abcdefghijklmnopqrstuvwxyz" + "0123456789"
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
DIGITS = "0123456789"
HEX = "0123456789abcdef"


def email(dice):
    return dice.choice([
        f"{dice.choice(FIRST)}.{dice.choice(LAST)}@{dice.choice(DOMAINS)}",
        f"{dice.choice(FIRST)}_{dice.randrange(10, 99)}@{dice.choice(DOMAINS)}",
        f"{dice.choice(FIRST)[0]}{dice.choice(LAST)}+news@{dice.choice(DOMAINS)}",
    ])


def phone(dice):
    a, b, c = dice.randrange(201, 989), dice.randrange(200, 999), dice.randrange(0, 9999)
    return dice.choice([
        f"({a}) {b}-{c:04d}",
        f"{a}-{b}-{c:04d}",
        f"+1 {a} {b} {c:04d}",
        f"{a}.{b}.{c:04d}",
        f"+49 {dice.randrange(151, 179)} {dice.randrange(1000000, 9999999)}",
        f"+44 20 {dice.randrange(7000, 7999)} {c:04d}",
    ])


def ssn(dice):
    area = dice.choice([number for number in range(1, 899) if number != 666])
    return f"{area:03d}-{dice.randrange(1, 99):02d}-{dice.randrange(1, 9999):04d}"


def credit_card(dice):
    kind = dice.randrange(3)
    if kind == 0:
        digits = luhn_complete("4", 16, dice)
    elif kind == 1:
        digits = luhn_complete(str(dice.randrange(51, 55)), 16, dice)
    else:
        digits = luhn_complete(dice.choice(["34", "37"]), 15, dice)
        return f"{digits[:4]} {digits[4:10]} {digits[10:]}"
    groups = [digits[i:i + 4] for i in range(0, 16, 4)]
    return dice.choice([" ", "-", ""]).join(groups)


def api_key(dice):
    return dice.choice([
        lambda: "sk-" + some(dice, 40, LETTERS),
        lambda: "sk-ant-api03-" + some(dice, 32, LETTERS),
        lambda: "AKIA" + some(dice, 16, BASE32),
        lambda: "ghp_" + some(dice, 36, LETTERS),
        lambda: "AIza" + some(dice, 35, LETTERS),
        lambda: "xoxb-" + some(dice, 11, DIGITS) + "-" + some(dice, 24, LETTERS),
        lambda: "glpat-" + some(dice, 20, LETTERS),
    ])()


def ip_address(dice):
    if dice.random() < 0.25:
        return ":".join(f"{dice.randrange(4096, 65535):x}" for _ in range(8))
    return ".".join(str(dice.randrange(1, 255)) for _ in range(4))


def bad_luhn(dice):
    digits = luhn_complete("4", 16, dice)
    digits = digits[:-1] + str((int(digits[-1]) + 1 + dice.randrange(8)) % 10)
    return " ".join(digits[i:i + 4] for i in range(0, 16, 4))


# Kind: how it is made, and what may stand before it.
PERSONAL = {
    "email": (email, ["Contact", "E-mail:", "From"]),
    "phone": (phone, ["Phone:", "Call", "Mobile"]),
    "ssn": (ssn, ["SSN:", "Social security"]),
    "credit_card": (credit_card, ["Card number", "Card:"]),
    "api_key": (api_key, ["API key:", "Token", "export KEY="]),
    "ip_address": (ip_address, ["Server", "IP:", "Client"]),
}
DECOYS = {
    "version": (lambda dice: f"v{dice.randrange(1, 9)}.{dice.randrange(0, 40)}.{dice.randrange(0, 200)}", ["Version"]),
    "date": (lambda dice: f"20{dice.randrange(10, 30)}-{dice.randrange(1, 12):02d}-{dice.randrange(1, 28):02d}", ["Created"]),
    "order": (lambda dice: f"{dice.randrange(100000, 999999)}", ["Order"]),
    "price": (lambda dice: f"${dice.randrange(1, 9999):,}.{dice.randrange(0, 99):02d}", ["Total"]),
    "badluhn": (bad_luhn, ["Tracking"]),
    "sha": (lambda dice: some(dice, 12, HEX), ["Commit"]),
    "time": (lambda dice: f"{dice.randrange(0, 23):02d}:{dice.randrange(0, 59):02d}:{dice.randrange(0, 59):02d}", ["Updated"]),
    "resolution": (lambda dice: f"{dice.choice([1280, 1920, 2560])}x{dice.choice([720, 1080, 1440])}", ["Display"]),
}

PROSE = {"en": EN, "de": DE, "ja": JA, "code": CODE}


def file_name(dice):
    return f"{dice.choice(FIRST)}-{dice.choice(LAST)}.{dice.choice(['txt', 'rs', 'log', 'tar.gz', 'json', 'png'])}"


# What else stands in a terminal.
SHELL = [
    lambda dice: f"$ ls -l {file_name(dice)}",
    lambda dice: (f"-rw-r--r-- 1 {dice.choice(FIRST)} users {dice.randrange(10, 99999):5d} Jul {dice.randrange(1, 28):2d} "
                  f"{dice.randrange(0, 23):02d}:{dice.randrange(0, 59):02d} {file_name(dice)}"),
    lambda dice: f"   Compiling {dice.choice(LAST)} v{dice.randrange(0, 9)}.{dice.randrange(0, 30)}.{dice.randrange(0, 9)}",
    lambda dice: f"test {dice.choice(FIRST)}::{dice.choice(LAST)}_{dice.choice(FIRST)} ... ok",
    lambda dice: f"{dice.choice(FIRST)}@{dice.choice(LAST)}:~/src/{dice.choice(FIRST)}$ git status --short",
    lambda dice: f" M src/{dice.choice(LAST)}/{dice.choice(FIRST)}.rs | {dice.randrange(1, 99)} ++++----",
    lambda dice: f"[{dice.choice(['INFO', 'WARN', 'ERROR'])}] {dice.choice(EN).lower()}",
]
# What stands before something personal there.
SHOWN = {
    "email": ["Author: ", "git config user.email "],
    "phone": ["phone: ", "$ call "],
    "ssn": ["ssn=", "SSN: "],
    "credit_card": ["card: ", "pay --card "],
    "api_key": ["export KEY=", "token: ", "Authorization: Bearer "],
    "ip_address": ["ping ", "inet ", "$ ssh root@"],
}


def terminal_line(dice):
    """One line of a terminal as segments, as `line` gives them."""
    chance = dice.random()
    if chance < 0.3:
        return [(dice.choice(CODE), "")]
    if chance < 0.65:
        return [(dice.choice(SHELL)(dice), "")]
    if chance < 0.9:
        name = dice.choice(list(PERSONAL))
        return [(dice.choice(SHOWN[name]), ""), (PERSONAL[name][0](dice), f"pii:{name}")]
    name = dice.choice(list(DECOYS))
    make, labels = DECOYS[name]
    return [(labels[0] + " ", ""), (make(dice), f"decoy:{name}")]


def line(dice, kind):
    """One line as segments of (text, mark); a mark is nothing, or what the segment is: `pii:email`, `decoy:date`."""
    if kind != "pii":
        return [(dice.choice(PROSE[kind]), "")]
    group, kinds = ("pii", PERSONAL) if dice.random() < 0.65 else ("decoy", DECOYS)
    name = dice.choice(list(kinds))
    make, labels = kinds[name]
    segments = [(dice.choice(labels), ""), (make(dice), f"{group}:{name}")]
    if dice.random() < 0.4:
        segments.append((dice.choice(EN).split(" ", 2)[0].lower(), ""))
    return segments
