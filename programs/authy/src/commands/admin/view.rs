//! How the UI looks: tabs above, a table, and two lines below for what came of the last key and which keys there are.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Row, Table, TableState, Tabs, Wrap};

use super::board::{Board, Mode, Shown};
use super::form::{Form, Look};
use super::rows::Page;
use super::sheet::Sheet;

/// Everywhere the same keys.
const KEYS: &str = "Tab page  / filter  ? help  q quit";

/// The same where there is little room.
const FEW_KEYS: &str = "? help  q quit";

const FORM_KEYS: &str = "Enter next, and at the last done  ↑↓ move  Esc give up";

pub(super) fn draw(frame: &mut Frame, board: &Board) {
    let areas = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(1),
        Constraint::Length(1),
    ]);
    let [tabs, table, message, keys] = areas.areas(frame.area());
    draw_tabs(frame, tabs, board.page);
    draw_table(frame, table, board);
    frame.render_widget(Paragraph::new(bottom_line(board)), message);
    let all_keys = format!("{}  {KEYS}", board.page.keys());
    let keys_line = if board.form.is_some() {
        FORM_KEYS.to_owned()
    } else if all_keys.chars().count() <= usize::from(keys.width) {
        all_keys
    } else {
        FEW_KEYS.to_owned()
    };
    frame.render_widget(Paragraph::new(keys_line).style(Style::new().add_modifier(Modifier::DIM)), keys);
    if let Some(form) = &board.form {
        draw_form(frame, table, form);
    }
    if let Some(sheet) = &board.sheet {
        draw_sheet(frame, table, sheet);
    }
    if let Some(shown) = &board.shown {
        draw_value(frame, table, shown);
    }
}

/// A text over all of the table.
fn draw_sheet(frame: &mut Frame, area: Rect, sheet: &Sheet) {
    let lines: Vec<Line> =
        sheet.lines.iter().skip(sheet.above).map(|line| Line::from(line.as_str())).collect();
    let (width, height) = (area.width.saturating_sub(2).max(1), area.height.saturating_sub(2));
    let rows: usize = lines.iter().map(|line| line.width().div_ceil(width.into()).max(1)).sum();
    // Whoever says yes to something should know that there is more of it.
    let keys = if rows > height.into() {
        " MORE BELOW: ↑↓ move, any other key closes it "
    } else {
        " ↑↓ move, any other key closes it "
    };
    let block = Block::bordered().title(format!(" {} ", sheet.title)).title_bottom(keys);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), area);
}

fn draw_tabs(frame: &mut Frame, area: Rect, page: Page) {
    let selected = Page::ALL.iter().position(|each| *each == page);
    // Brackets as well as colour: everything can be understood without it. Where there is no room, only this page has its name.
    let row = |named: bool| {
        let title = |(at, page): (usize, &Page)| match (Some(at) == selected, named) {
            (true, _) => format!("[{} {}]", at + 1, page.title()),
            (false, true) => format!(" {} {} ", at + 1, page.title()),
            (false, false) => (at + 1).to_string(),
        };
        Page::ALL.iter().enumerate().map(title).collect::<Vec<String>>()
    };
    let all = row(true);
    let width = all.iter().map(|title| title.len() + 1).sum::<usize>();
    let titles = if width > usize::from(area.width) + 1 { row(false) } else { all };
    let tabs = Tabs::new(titles.into_iter().map(Line::from))
        .select(selected)
        .highlight_style(Style::new().add_modifier(Modifier::BOLD))
        .divider(" ")
        .padding("", "");
    frame.render_widget(tabs, area);
}

fn draw_table(frame: &mut Frame, area: Rect, board: &Board) {
    let heading = board.page.heading();
    let rows: Vec<Vec<&str>> =
        board.rows().map(|row| row.cells.iter().map(String::as_str).collect()).collect();
    let count = rows.len();
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([heading.get(column).map_or(0, |title| title.len())]).max().unwrap_or_default()
    };
    let last = heading.len().saturating_sub(1);
    let widths: Vec<Constraint> = (0..heading.len())
        .map(|column| match u16::try_from(widest(column).min(30)) {
            Ok(width) if column < last => Constraint::Length(width),
            _ => Constraint::Min(8),
        })
        .collect();
    let table = Table::new(rows.into_iter().map(Row::new), widths)
        .header(Row::new(heading.iter().copied()).style(Style::new().add_modifier(Modifier::BOLD)))
        .block(Block::bordered().title(format!(" {count} ")))
        .highlight_symbol("> ")
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected((count > 0).then_some(board.selected));
    frame.render_stateful_widget(table, area, &mut state);
}

fn bottom_line(board: &Board) -> Line<'static> {
    let bold = |text: String| Line::from(Span::styled(text, Style::new().add_modifier(Modifier::BOLD)));
    match &board.mode {
        Mode::Confirming(deed) => bold(format!("{} y yes, any other key no", deed.question())),
        Mode::Filtering => bold(format!("/{}_  Enter keep, Esc clear", board.filter)),
        Mode::Moving if board.message.is_empty() && !board.filter.is_empty() => {
            Line::from(format!("/{}  Esc clears the filter", board.filter))
        }
        Mode::Moving => Line::from(board.message.clone()),
    }
}

/// The middle of an area.
fn middle(over: Rect) -> Rect {
    let [_, area, _] =
        Layout::vertical([Constraint::Fill(1), Constraint::Percentage(60), Constraint::Fill(1)]).areas(over);
    let [_, area, _] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Percentage(90), Constraint::Fill(1)])
            .areas(area);
    area
}

/// The fields, over the table. Of a hidden one only the length is seen.
fn draw_form(frame: &mut Frame, over: Rect, form: &Form) {
    let area = middle(over);
    let line = |(at, field): (usize, &super::form::Field)| {
        let text = match field.look {
            Look::Plain => field.text.to_string(),
            Look::Hidden => "*".repeat(field.text.chars().count()),
        };
        let (mark, cursor) = if at == form.at { ("> ", "_") } else { ("  ", "") };
        Line::from(format!("{mark}{}: {text}{cursor}", field.label))
    };
    let lines: Vec<Line> = form.fields.iter().enumerate().map(line).collect();
    let block = Block::bordered().title(format!(" {} ", form.title()));
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), area);
}

/// The value, over the table, until the next key.
fn draw_value(frame: &mut Frame, over: Rect, shown: &Shown) {
    let area = middle(over);
    let value = shown.value.as_text().unwrap_or("(bytes that are no text; use `authy get --output FILE`)");
    let lines: Vec<Line> = value.lines().map(Line::from).collect();
    let block = Block::bordered().title(format!(" {} ", shown.title)).title_bottom(" any key hides it ");
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), area);
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use authy::{
        Identity, NewGrant, NewPolicy, NewSecret, NewSlot, Overwrite, PolicyName, SecretName, SecretValue,
        Vault,
    };
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::board::{Board, Flow};
    use super::super::keys::Key;
    use super::draw;

    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// A board over a new vault with two secrets, a policy and a grant; and its folder.
    fn board() -> (Board, Folder) {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("authy-admin-{}-{number}", std::process::id()));
        let vault = Vault::at(&folder);
        let session =
            vault.create(&[NewSlot::Keyfile(Identity::random().expect("random"))]).expect("a vault");
        for (name, value) in [("db-url", "postgres://x"), ("stripe-key", "sk_live_canary")] {
            let name = SecretName::new(name).expect("a name");
            let value = SecretValue::new(value).expect("short");
            session.store(&NewSecret { name, value, attributes: None }, Overwrite::Refuse).expect("stored");
        }
        let policy = PolicyName::new("shop").expect("a name");
        let (allow, deny) = (vec!["stripe-*".to_owned()], Vec::new());
        let new = NewPolicy { name: policy.clone(), description: None, allow, deny, run_only: false };
        session.create_policy(&new).expect("a policy");
        session.create_grant(&NewGrant::for_agent("bot\u{1b}[2J\u{202e}", policy)).expect("a grant");
        (Board::open(session).expect("a board"), Folder(folder))
    }

    fn screen(board: &Board) -> String {
        screen_of(board, 80, 24)
    }

    fn screen_of(board: &Board, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
        terminal.draw(|frame| draw(frame, board)).expect("drawn");
        terminal.backend().to_string()
    }

    #[test]
    fn secrets_are_listed_and_a_value_is_shown_by_a_key_and_hidden_by_the_next() {
        let (mut board, _folder) = board();
        let first = screen(&board);
        assert!(first.contains("[1 Secrets]") && first.contains("> db-url"), "{first}");
        assert!(first.contains("q quit") && !first.contains("canary"), "{first}");
        board.press(Key::Down);
        board.press(Key::Enter);
        assert!(screen(&board).contains("sk_live_canary"));
        board.press(Key::Enter);
        assert!(!screen(&board).contains("canary"));
        board.press(Key::Enter);
        board.hide();
        assert!(!screen(&board).contains("canary"));
    }

    #[test]
    fn every_page_can_be_reached_and_quit() {
        let (mut board, _folder) = board();
        for (page, text) in
            [("2 Policies", "stripe-*"), ("3 Grants", "list,use"), ("4 Audit", "grant-create")]
        {
            board.press(Key::NextPage);
            let shown = screen(&board);
            assert!(shown.contains(&format!("[{page}]")) && shown.contains(text), "{shown}");
            assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
        }
        board.press(Key::Letter('5'));
        assert!(screen(&board).contains("[5 Approvals]"));
        assert!(screen_of(&board, 30, 12).contains("1 2 3 4 [5 Approvals]"), "where there is little room");
        assert_eq!(board.press(Key::Letter('q')), Flow::Leave);
    }

    #[test]
    fn what_cannot_be_undone_is_asked_first() {
        let (mut board, _folder) = board();
        board.press(Key::Letter('d'));
        assert!(screen(&board).contains("Move `db-url` to the trash?"));
        board.press(Key::Enter);
        assert!(screen(&board).contains("nothing was changed") && screen(&board).contains("db-url"));
        board.press(Key::Letter('d'));
        board.press(Key::Letter('y'));
        let left = screen(&board);
        assert!(left.contains("removed db-url") && left.contains("> stripe-key"), "{left}");
        board.press(Key::Letter('3'));
        board.press(Key::Letter('x'));
        board.press(Key::Letter('y'));
        assert!(screen(&board).contains("revoked"));
    }

    fn type_in(board: &mut Board, text: &str) {
        for letter in text.chars() {
            board.press(if letter == '\n' { Key::Enter } else { Key::Letter(letter) });
        }
    }

    #[test]
    fn a_secret_a_policy_and_a_grant_are_made_in_forms() {
        let (mut board, _folder) = board();
        type_in(&mut board, "cmail-password\nhunter2 \u{e9}");
        let form = screen(&board);
        assert!(form.contains("New secret") && form.contains("Value: *********_"), "{form}");
        assert!(!form.contains("hunter2"), "{form}");
        type_in(&mut board, "\nof the mail\n");
        let stored = screen(&board);
        assert!(stored.contains("stored mail-password") && stored.contains("of the mail"), "{stored}");
        type_in(&mut board, "cmail-password\nother\n\n");
        let refused = screen(&board);
        assert!(refused.contains("Secret already exists") && refused.contains("New secret"), "{refused}");
        board.press(Key::Escape);
        assert!(screen(&board).contains("nothing was made"));

        board.press(Key::Letter('2'));
        type_in(&mut board, "cmail\nmail-* smtp-*\nmail-admin\n");
        let policies = screen(&board);
        assert!(policies.contains("made the policy mail") && policies.contains("smtp-*"), "{policies}");

        board.press(Key::Letter('3'));
        type_in(&mut board, "cmail bot\nmail\n,reveal\n");
        let issued = screen(&board);
        assert!(issued.contains("authy_v2.") && issued.contains("only now"), "{issued}");
        board.press(Key::Down);
        let grants = screen(&board);
        assert!(!grants.contains("authy_v2.") && grants.contains("mail bot"), "{grants}");
        assert!(grants.contains("list,use,reveal"), "{grants}");
        type_in(&mut board, "cx\nnone\n\n");
        assert!(screen(&board).contains("Policy not found: none"));

        board.press(Key::Escape);
        board.press(Key::Letter('4'));
        board.press(Key::Letter('c'));
        assert!(!screen(&board).contains("New"), "nothing is made in the log");
    }

    #[test]
    fn help_history_and_everything_about_a_row_are_a_key_away() {
        let (mut board, _folder) = board();
        board.press(Key::Letter('?'));
        assert!(screen(&board).contains("approve or deny a use"), "{}", screen(&board));
        board.press(Key::Escape);
        assert!(!screen(&board).contains("approve or deny a use"));
        board.press(Key::Letter('h'));
        assert!(screen(&board).contains("history of db-url") && screen(&board).contains("version 1"));
        board.press(Key::Escape);
        board.press(Key::Letter('3'));
        board.press(Key::Enter);
        let about = screen(&board);
        assert!(about.contains("policy: shop") && about.contains("may: list,use"), "{about}");
        board.press(Key::Escape);
        board.press(Key::Letter('4'));
        board.press(Key::Enter);
        assert!(screen(&board).contains("outcome: done"), "{}", screen(&board));
    }

    #[test]
    fn rules_and_patterns_are_changed_in_forms() {
        let (mut board, _folder) = board();
        board.press(Key::Letter('e'));
        let form = screen(&board);
        assert!(form.contains("Rules of db-url") && form.contains("Hosts"), "{form}");
        type_in(&mut board, "of the shop\ndb.example.com 10.0.0.5:5432\ncat\ny\n\n");
        assert!(screen(&board).contains("changed db-url"), "{}", screen(&board));
        board.press(Key::Letter('i'));
        let about = screen(&board);
        for text in ["about: of the shop", "host: 10.0.0.5:5432", "command: cat (", "never shown"] {
            assert!(about.contains(text), "{text} in {about}");
        }
        board.press(Key::Escape);
        board.press(Key::Enter);
        assert!(screen(&board).contains("never revealed"), "{}", screen(&board));
        board.press(Key::Letter('e'));
        board.press(Key::Down);
        type_in(&mut board, " not*a*host\n\n\n\n");
        assert!(screen(&board).contains("Rules of db-url"), "what is no host is refused: {}", screen(&board));
        board.press(Key::Escape);
        board.press(Key::Letter('2'));
        type_in(&mut board, "e db-*\n\n");
        assert!(screen(&board).contains("stripe-*, db-*"), "{}", screen(&board));
    }

    /// A person has to be able to read all of what they approve.
    #[test]
    fn an_approval_is_read_in_full_before_it_is_given_and_narrow_screens_work() {
        let (mut board, _folder) = board();
        let purpose = format!("run [\"deploy\", \"{}\", \"EVIL\"]", "harmless ".repeat(60));
        board.ask_for_test("stripe-key", &purpose);
        board.press(Key::Letter('5'));
        board.press(Key::Letter('a'));
        let asked = screen(&board);
        assert!(asked.contains("Approve") && asked.contains("EVIL"), "{asked}");
        board.press(Key::Letter('n'));
        assert!(screen(&board).contains("nothing was changed"));
        // One that is longer than the screen says so, and can be read to its end.
        board.ask_for_test("db-url", &format!("run [\"{}\", \"LAST\"]", "harmless ".repeat(1000)));
        for key in [Key::Letter('5'), Key::Letter('r'), Key::Letter('G'), Key::Letter('a')] {
            board.press(key);
        }
        let asked = screen(&board);
        assert!(asked.contains("MORE BELOW") && !asked.contains("LAST"), "{asked}");
        for _ in 0..200 {
            board.press(Key::Down);
        }
        let asked = screen(&board);
        assert!(asked.contains("Approve") && asked.contains("LAST") && !asked.contains("MORE"), "{asked}");
        board.press(Key::Letter('n'));
        for (width, height) in [(40, 12), (20, 8), (8, 4), (1, 1)] {
            for key in [
                Key::Letter('1'),
                Key::Letter('?'),
                Key::Escape,
                Key::Letter('c'),
                Key::Escape,
                Key::Letter('i'),
            ] {
                board.press(key);
                let narrow = screen_of(&board, width, height);
                assert!(!narrow.is_empty());
            }
            board.press(Key::Escape);
        }
        let narrow = screen_of(&board, 40, 12);
        assert!(narrow.contains("? help  q quit") && narrow.contains("stripe-key"), "{narrow}");
    }

    #[test]
    fn the_filter_leaves_what_fits() {
        let (mut board, _folder) = board();
        for key in ['/', 's', 'T', 'r'] {
            board.press(Key::Letter(key));
        }
        let filtered = screen(&board);
        assert!(filtered.contains("stripe-key") && !filtered.contains("db-url"), "{filtered}");
        board.press(Key::Escape);
        assert!(screen(&board).contains("db-url"));
    }
}
