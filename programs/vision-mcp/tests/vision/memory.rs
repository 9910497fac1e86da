//! Many large files at once take as much memory as there is room for, and no more.

use picture::{Effort, Layout, Picture, encode_png};
use serde_json::{Value, json};

use crate::vision::Vision;

/// A picture of a few pixels in a file of this many bytes, most of them a comment.
fn bloated(bytes: usize) -> Vec<u8> {
    let picture = Picture::new(Layout::Rgb, 40, 30, vec![200; 40 * 30 * 3]).expect("a picture");
    let small = encode_png(&picture, Effort::Fast).expect("a PNG").bytes;
    let (head, rest) = small.split_at(33);
    let length = bytes - small.len() - 12;
    let mut chunk = u32::try_from(length).expect("small").to_be_bytes().to_vec();
    let mut body = b"tEXtComment\0".to_vec();
    body.resize(4 + length, b'x');
    let sum = crc32(&body);
    chunk.append(&mut body);
    chunk.extend(sum.to_be_bytes());
    [head, &chunk, rest].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256_u32)
        .map(|byte| {
            (0..8).fold(byte, |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 })
        })
        .collect();
    !bytes.iter().fold(!0_u32, |sum, byte| (sum >> 8) ^ table[((sum ^ u32::from(*byte)) & 0xff) as usize])
}

#[test]
fn forty_large_files_at_once_stay_within_the_room_there_is() {
    let mut vision = Vision::new();
    let file = vision.folder.file("large.png", &bloated(62_000_000));
    let before = vision.client.memory_use().resident;
    let calls: Vec<Value> = (0..40)
        .map(|_| {
            let arguments = json!({ "image_source": file, "prompt": "What is it?" });
            vision.client.start("tools/call", json!({ "name": "analyze_image", "arguments": arguments }))
        })
        .collect();
    for call in &calls {
        let answer = vision.client.response(call);
        assert_ne!(answer["result"]["isError"], true, "{answer}");
    }
    // 256 MiB of files and requests, and as much again for what is made of them on two threads.
    let most = vision.client.memory_use().peak - before;
    assert!(most < 512 << 20, "{} MiB", most >> 20);
}
