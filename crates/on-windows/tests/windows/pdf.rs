//! Pages of PDF files, which a process in a job of its own draws.

use mcp::Version;
use mcp_testkit::Client;
use serde_json::{Value, json};

use crate::running::Person;

/// A PDF with one page, 400 points wide and 200 high, on which this is drawn, with these objects behind it.
fn pdf(drawing: &str, further: &[String]) -> Vec<u8> {
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents 4 0 R \
         /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{drawing}\nendstream", drawing.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    objects.extend_from_slice(further);
    let (mut file, mut table) = ("%PDF-1.7\n".to_owned(), String::new());
    for (number, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file += &format!(
        "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    file.into_bytes()
}

/// A form that draws the next one ten times, which does the same.
fn bomb() -> Vec<u8> {
    let form = |number: usize| {
        let drawing = "/X Do ".repeat(10);
        let next = (7 + number).min(15);
        format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 400 200] /Length {} \
             /Resources << /XObject << /X {next} 0 R >> >> >>\nstream\n{drawing}\nendstream",
            drawing.len(),
        )
    };
    let last = "<< /Type /XObject /Subtype /Form /BBox [0 0 400 200] /Length 16 >>\nstream\n0 0 400 200 re f\nendstream";
    let forms: Vec<String> = (0..9).map(form).chain([last.to_owned()]).collect();
    pdf("/X Do", &forms)
}

fn read(vision: &mut Client, path: &str) -> Value {
    let arguments = json!({ "image_source": path, "prompt": "Read", "provider": "local" });
    vision.call("extract_text_from_screenshot", arguments)
}

#[test]
fn a_page_is_drawn_and_one_that_would_take_for_ever_is_given_up() {
    let person = Person::new();
    let page = person.folder.file("page.pdf", &pdf("BT /F 32 Tf 40 90 Td (Hello world) Tj ET", &[]));
    let endless = person.folder.file("endless.pdf", &bomb());
    let mut command = person.command("vision-mcp", &[]);
    command.env("DESKMATE_ROOTS", person.folder.as_path());
    let mut vision = Client::process(&mut command).speaking(Version::MODERN);
    let refused = read(&mut vision, &endless);
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(refused.to_string().contains("cannot be drawn"), "{refused}");
    let seen = read(&mut vision, &page);
    assert!(seen["isError"] != true && seen.to_string().contains("Hello world"), "{seen}");
    assert_eq!(vision.hang_up().code, Some(0));
}
