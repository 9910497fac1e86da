//! Steps without weights: means, sums, and places that move.

use super::fault::Fault;
use super::grid::{Grid, Scratch};
use crate::embedded::lengths::real;

/// The mean over all places.
pub(super) fn mean(input: &Grid, scratch: &mut Scratch) -> Grid {
    let mut output = scratch.grid(1, 1, input.channels);
    output.values.fill(0.0);
    for place in input.values.chunks_exact(input.channels) {
        add_to(&mut output.values, place);
    }
    let share = 1.0 / real(input.places().max(1));
    output.values.iter_mut().for_each(|value| *value *= share);
    output
}

fn add_to(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

/// Each channel times its gate, plus `base` of itself.
pub(super) fn gate(input: &Grid, gate: &Grid, base: f32, scratch: &mut Scratch) -> Result<Grid, Fault> {
    if gate.places() != 1 {
        return Err(Fault::Sizes);
    }
    let mut output = scratch.grid(input.height, input.width, input.channels);
    let (from, to) =
        (input.values.chunks_exact(input.channels), output.values.chunks_exact_mut(input.channels));
    for (from, to) in from.zip(to) {
        for ((to, from), gate) in to.iter_mut().zip(from).zip(&gate.values) {
            *to = from * (base + gate);
        }
    }
    Ok(output)
}

pub(super) fn add(left: &Grid, right: &Grid, scratch: &mut Scratch) -> Result<Grid, Fault> {
    if !left.is_as_large_as(right) {
        return Err(Fault::Sizes);
    }
    let mut output = scratch.grid(left.height, left.width, left.channels);
    for ((sum, left), right) in output.values.iter_mut().zip(&left.values).zip(&right.values) {
        *sum = left + right;
    }
    Ok(output)
}

/// The channels of several grids behind one another.
pub(super) fn join(inputs: &[&Grid], scratch: &mut Scratch) -> Result<Grid, Fault> {
    let Some(first) = inputs.first() else { return Err(Fault::Sizes) };
    if !inputs.iter().all(|input| input.is_as_large_as(first)) {
        return Err(Fault::Sizes);
    }
    let channels = inputs.iter().map(|input| input.channels).sum();
    let mut output = scratch.grid(first.height, first.width, channels);
    for (at, place) in output.values.chunks_exact_mut(channels).enumerate() {
        let mut start = 0;
        for input in inputs {
            let from = &input.values[at * input.channels..][..input.channels];
            place[start..start + input.channels].copy_from_slice(from);
            start += input.channels;
        }
    }
    Ok(output)
}

/// At each place the largest of it and its neighbours to the right and below.
pub(super) fn largest(input: &Grid, scratch: &mut Scratch) -> Grid {
    let channels = input.channels;
    let mut output = scratch.grid(input.height, input.width, channels);
    for y in 0..input.height {
        let (row, below) = (input.row(y), input.row((y + 1).min(input.height - 1)));
        for (x, place) in output.row_mut(y).chunks_exact_mut(channels).enumerate() {
            let next = (x + 1).min(input.width - 1);
            place.copy_from_slice(&row[x * channels..][..channels]);
            for (row, at) in [(row, next), (below, x), (below, next)] {
                let other = &row[at * channels..][..channels];
                place.iter_mut().zip(other).for_each(|(value, other)| *value = value.max(*other));
            }
        }
    }
    output
}

/// The means of tiles; what is left at the edges is dropped.
pub(super) fn average(input: &Grid, tile: (usize, usize), scratch: &mut Scratch) -> Grid {
    let (height, width) = (input.height / tile.0, input.width / tile.1);
    let channels = input.channels;
    let share = 1.0 / real(tile.0 * tile.1);
    let mut output = scratch.grid(height, width, channels);
    output.values.fill(0.0);
    for y in 0..height * tile.0 {
        let row = output.row_mut(y / tile.0);
        for x in 0..width * tile.1 {
            add_to(&mut row[x / tile.1 * channels..][..channels], &input.row(y)[x * channels..][..channels]);
        }
    }
    output.values.iter_mut().for_each(|value| *value *= share);
    output
}

/// Each place so many times down and across.
pub(super) fn repeat(input: &Grid, times: usize, scratch: &mut Scratch) -> Grid {
    let channels = input.channels;
    let mut output = scratch.grid(input.height * times, input.width * times, channels);
    for y in 0..output.height {
        let places = output.row_mut(y).chunks_exact_mut(times * channels);
        for (places, place) in places.zip(input.row(y / times).chunks_exact(channels)) {
            places.chunks_exact_mut(channels).for_each(|target| target.copy_from_slice(place));
        }
    }
    output
}

/// Four groups of channels become two by two places.
pub(super) fn spread(input: &Grid, scratch: &mut Scratch) -> Grid {
    let channels = input.channels / 4;
    let mut output = scratch.grid(input.height * 2, input.width * 2, channels);
    for y in 0..output.height {
        let places = output.row_mut(y).chunks_exact_mut(2 * channels);
        let from = input.row(y / 2).chunks_exact(input.channels);
        for (places, place) in places.zip(from) {
            places.copy_from_slice(&place[y % 2 * 2 * channels..][..2 * channels]);
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(height: usize, width: usize, values: &[f32]) -> Grid {
        Grid { height, width, channels: values.len() / height / width, values: values.to_vec() }
    }

    fn check(found: &Grid, height: usize, width: usize, values: &[f32]) {
        assert_eq!(found, &grid(height, width, values));
    }

    #[test]
    fn each_step_does_what_its_name_says() {
        let mut scratch = Scratch::default();
        let square = grid(2, 2, &[1.0, 2.0, 3.0, 4.0]);
        check(&mean(&square, &mut scratch), 1, 1, &[2.5]);
        check(&largest(&square, &mut scratch), 2, 2, &[4.0; 4]);
        check(&average(&square, (2, 1), &mut scratch), 1, 2, &[2.0, 3.0]);
        check(
            &repeat(&grid(1, 2, &[1.0, 2.0]), 2, &mut scratch),
            2,
            4,
            &[1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0],
        );
        check(&spread(&grid(1, 1, &[1.0, 2.0, 3.0, 4.0]), &mut scratch), 2, 2, &[1.0, 2.0, 3.0, 4.0]);
        let pair = grid(1, 2, &[1.0, 2.0, 3.0, 4.0]);
        check(
            &gate(&pair, &grid(1, 1, &[0.5, 2.0]), 1.0, &mut scratch).unwrap(),
            1,
            2,
            &[1.5, 6.0, 4.5, 12.0],
        );
        check(&add(&pair, &pair, &mut scratch).unwrap(), 1, 2, &[2.0, 4.0, 6.0, 8.0]);
        let joined = join(&[&pair, &grid(1, 2, &[8.0, 9.0])], &mut scratch).unwrap();
        check(&joined, 1, 2, &[1.0, 2.0, 8.0, 3.0, 4.0, 9.0]);
    }

    #[test]
    fn grids_of_different_size_are_refused() {
        let mut scratch = Scratch::default();
        let (one, two) = (grid(1, 1, &[1.0]), grid(1, 2, &[1.0, 2.0]));
        assert!(add(&one, &two, &mut scratch).is_err());
        assert!(join(&[&one, &two], &mut scratch).is_err());
        assert!(gate(&one, &two, 0.0, &mut scratch).is_err());
    }
}
