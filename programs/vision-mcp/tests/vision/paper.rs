//! PDF files for tests.

use std::fmt::Write as _;

/// A PDF with a page for each text: 400 points wide, 200 high.
pub(crate) fn pdf(texts: &[&str]) -> Vec<u8> {
    let pages: Vec<String> = (0..texts.len()).map(|number| format!("{} 0 R", 4 + 2 * number)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", pages.join(" "), texts.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for (number, text) in texts.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * number
        ));
        let drawing = format!("BT /F1 32 Tf 40 90 Td ({text}) Tj ET");
        objects.push(format!("<< /Length {} >>\nstream\n{drawing}\nendstream", drawing.len()));
    }
    written(&objects)
}

/// A PDF of a kilobyte whose page is drawn ten thousand million times: every form draws the next one ten times.
#[cfg(feature = "pdf")]
pub(crate) fn bomb() -> Vec<u8> {
    const FORMS: usize = 10;
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents 4 0 R \
         /Resources << /XObject << /X 5 0 R >> >> >>"
            .to_owned(),
        "<< /Length 5 >>\nstream\n/X Do\nendstream".to_owned(),
    ];
    for number in 1..=FORMS {
        let drawing = if number < FORMS { "/X Do ".repeat(10) } else { "0 0 400 200 re f".to_owned() };
        objects.push(format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 400 200] /Length {} \
             /Resources << /XObject << /X {} 0 R >> >> >>\nstream\n{drawing}\nendstream",
            drawing.len(),
            (5 + number).min(4 + FORMS)
        ));
    }
    written(&objects)
}

/// These objects, the first of them the catalogue, with their table.
fn written(objects: &[String]) -> Vec<u8> {
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = String::new();
    for (number, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", file.len()).expect("a string");
        writeln!(file, "{} 0 obj\n{object}\nendobj", number + 1).expect("a string");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    write!(
        file,
        "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    )
    .expect("a string");
    file.into_bytes()
}
