//! What is done to each number after a sum: a curve.

#![expect(
    clippy::inline_always,
    reason = "the loop must be compiled for the instructions it is dispatched to"
)]

use rten_simd::ops::{BitOps, FloatOps, NumOps};
use rten_simd::{Isa, Simd, SimdOp, SimdUnaryOp};
use rten_vecmath::{Sigmoid, Silu};

/// The curves our networks use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Activation {
    None,
    Relu,
    Gelu,
    Sigmoid,
    Swish,
    HardSwish,
    /// With its slope.
    HardSigmoid(f32),
}

impl Activation {
    /// By its name in a program.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name.split_once(':') {
            Some(("hardsigmoid", slope)) => slope.parse().ok().map(Self::HardSigmoid),
            Some(_) => None,
            None => match name {
                "none" => Some(Self::None),
                "relu" => Some(Self::Relu),
                "gelu" => Some(Self::Gelu),
                "sigmoid" => Some(Self::Sigmoid),
                "swish" => Some(Self::Swish),
                "hardswish" => Some(Self::HardSwish),
                _ => None,
            },
        }
    }
}

/// Adds a row of numbers to each row of values and bends the sums.
pub(super) fn add_and_activate(values: &mut [f32], row: &[f32], activation: Activation) {
    if !row.is_empty() {
        AddAndActivate { values, row, activation }.dispatch();
    }
}

struct AddAndActivate<'a> {
    values: &'a mut [f32],
    row: &'a [f32],
    activation: Activation,
}

impl SimdOp for AddAndActivate<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        match self.activation {
            Activation::None => self.each(
                isa,
                #[inline(always)]
                |x| x,
            ),
            Activation::Relu => self.each(
                isa,
                #[inline(always)]
                |x| ops.max(x, ops.zero()),
            ),
            Activation::Gelu => self.each(
                isa,
                #[inline(always)]
                |x| gelu(isa, x),
            ),
            Activation::Sigmoid => self.each(
                isa,
                #[inline(always)]
                |x| Sigmoid {}.eval(isa, x),
            ),
            Activation::Swish => self.each(
                isa,
                #[inline(always)]
                |x| Silu {}.eval(isa, x),
            ),
            Activation::HardSwish => {
                self.each(
                    isa,
                    #[inline(always)]
                    |x| ops.mul(x, hard_sigmoid(isa, x, 1.0 / 6.0)),
                );
            }
            Activation::HardSigmoid(slope) => self.each(
                isa,
                #[inline(always)]
                |x| hard_sigmoid(isa, x, slope),
            ),
        }
    }
}

/// `x / 2 * (1 + erf(x / sqrt 2))`, where `1 - erf(y)` is one over the sixteenth power of a polynomial (Abramowitz and
/// Stegun, 7.1.28): off by at most 3e-7, without an exponential.
#[inline(always)]
fn gelu<I: Isa>(isa: I, x: I::F32) -> I::F32 {
    let ops = isa.f32();
    let y = ops.mul(ops.abs(x), ops.splat(std::f32::consts::FRAC_1_SQRT_2));
    let mut sum = ops.splat(ERF[0]);
    for factor in &ERF[1..] {
        sum = ops.mul_add(sum, y, ops.splat(*factor));
    }
    for _ in 0..4 {
        sum = ops.mul(sum, sum);
    }
    let rest = ops.div(ops.splat(0.5), sum);
    let share = ops.select(rest, ops.sub(ops.splat(1.0), rest), ops.lt(x, ops.zero()));
    ops.mul(x, share)
}

const ERF: [f32; 7] =
    [0.000_043_063_8, 0.000_276_567_2, 0.000_152_014_3, 0.009_270_527, 0.042_282_01, 0.070_523_08, 1.0];

#[inline(always)]
fn hard_sigmoid<I: Isa>(isa: I, x: I::F32, slope: f32) -> I::F32 {
    let ops = isa.f32();
    let line = ops.mul_add(x, ops.splat(slope), ops.splat(0.5));
    ops.clamp(line, ops.zero(), ops.splat(1.0))
}

impl AddAndActivate<'_> {
    #[inline(always)]
    fn each<I: Isa>(self, isa: I, bend: impl Fn(I::F32) -> I::F32) {
        let ops = isa.f32();
        let lanes = ops.len();
        for values in self.values.chunks_exact_mut(self.row.len()) {
            let mut values = values.chunks_exact_mut(lanes);
            let mut row = self.row.chunks_exact(lanes);
            for (value, add) in values.by_ref().zip(row.by_ref()) {
                ops.store(bend(ops.add(ops.load(value), ops.load(add))), value);
            }
            let value = values.into_remainder();
            if !value.is_empty() {
                let sum = ops.add(ops.load_pad(value).0, ops.load_pad(row.remainder()).0);
                value.copy_from_slice(&bend(sum).to_array().as_ref()[..value.len()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, curve: impl Fn(f32) -> f32) {
        let activation = Activation::named(name).unwrap();
        let row: Vec<f32> = (0..37_u8).map(|x| f32::from(x) / 8.0 - 2.0).collect();
        let mut values = vec![-0.25; 3 * row.len()];
        add_and_activate(&mut values, &row, activation);
        for (value, add) in values.iter().zip(row.iter().cycle()) {
            let expected = curve(add - 0.25);
            assert!((value - expected).abs() < 1e-5, "{name} of {add}: {value}, not {expected}");
        }
    }

    #[test]
    fn curves_are_what_they_are_called() {
        check("none", |x| x);
        check("relu", |x| x.max(0.0));
        check("sigmoid", |x| 1.0 / (1.0 + (-x).exp()));
        check("swish", |x| x / (1.0 + (-x).exp()));
        check("hardsigmoid:0.2", |x| (0.2 * x + 0.5).clamp(0.0, 1.0));
        check("hardswish", |x| x * (x / 6.0 + 0.5).clamp(0.0, 1.0));
        assert_eq!(Activation::named("steep"), None);
        let mut values = [1.0, -1.0, 0.0, 0.3, -2.5, 1e4, -1e4];
        add_and_activate(&mut values, &[0.0], Activation::Gelu);
        for (value, expected) in
            values.iter().zip([0.841_345, -0.158_655, 0.0, 0.185_373, -0.015_524, 1e4, 0.0])
        {
            assert!((value - expected).abs() < 1e-5, "{values:?}");
        }
    }
}
