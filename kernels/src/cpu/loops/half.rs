//! Half types: conversions that vectorise and do not depend on the machine, and `nextafter` and
//! `spacing`.

/// Bits of a binary16 number as `f32`.
#[inline]
pub(super) fn f16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = u32::from(bits & 0x7fff) << 13;
    // The fraction is in place; the exponent lacks the difference of the biases, also for
    // subnormals.
    let scaled = f32::from_bits(magnitude) * f32::from_bits((254 - 15) << 23);
    let special = if magnitude >= 0x7c00 << 13 { 0x7f80_0000 } else { 0 };
    f32::from_bits(scaled.to_bits() | special | sign)
}

/// The bits of the nearest binary16 number, ties to even.
#[inline]
pub(super) fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    // Adding 0.5 puts the last bit of a binary16 subnormal at the last bit of the sum, which rounds
    // it.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let odd = (magnitude >> 13) & 1;
    let normal = magnitude.wrapping_sub((127 - 15) << 23).wrapping_add(0xfff + odd) >> 13;
    let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
    let special = if magnitude > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    (sign | if magnitude >= 0x4780_0000 { special } else { finite }) as u16
}

/// Bits of a bfloat16 number as `f32`.
#[inline]
pub(super) fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// The bits of the nearest bfloat16 number, ties to even.
#[inline]
pub(super) fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    let nan = (bits >> 16) | 0x40;
    (if value.is_nan() { nan } else { rounded }) as u16
}

/// An `f64` that rounds to a half type like `value` itself.
#[inline]
pub(super) fn u64_to_f64_odd(value: u64) -> f64 {
    if value < 1 << 53 {
        value as f64
    } else {
        ((value & !0x7ff) | (u64::from(value & 0x7ff != 0) << 11)) as f64
    }
}

/// Like `u64_to_f64_odd`, with sign.
#[inline]
pub(super) fn i64_to_f64_odd(value: i64) -> f64 {
    let magnitude = u64_to_f64_odd(value.unsigned_abs());
    if value < 0 { -magnitude } else { magnitude }
}

/// The next number of a half type, on bits; `INFINITY` is the bits of infinity.
#[inline]
pub(super) fn nextafter<const INFINITY: u16>(x: u16, y: u16) -> u16 {
    let (x_magnitude, y_magnitude) = (x & 0x7fff, y & 0x7fff);
    if x_magnitude > INFINITY || y_magnitude > INFINITY {
        return INFINITY | 0x7f;
    }
    let order = |bits: u16| {
        let magnitude = i32::from(bits & 0x7fff);
        if bits & 0x8000 != 0 { -magnitude } else { magnitude }
    };
    let (x_order, y_order) = (order(x), order(y));
    if x_order == y_order {
        x
    } else if x_magnitude == 0 {
        (y & 0x8000) | 1
    } else if (x_order < y_order) == (x_order > 0) {
        x + 1
    } else {
        x - 1
    }
}

/// Distance to the next larger number of binary16; NumPy's definition for this dtype only.
#[inline]
pub(super) fn f16_spacing(x: u16) -> u16 {
    let magnitude = x & 0x7fff;
    if magnitude >= 0x7c00 {
        return 0x7e00;
    }
    let lower = if x & 0x8000 != 0 && magnitude != 0 { magnitude - 1 } else { magnitude };
    f32_to_f16(f16_to_f32(lower + 1) - f16_to_f32(lower))
}

/// Distance to the next number of bfloat16 away from zero, with the number's sign.
#[inline]
pub(super) fn bf16_spacing(x: u16) -> u16 {
    let magnitude = x & 0x7fff;
    if magnitude >= 0x7f80 {
        return 0x7fc0;
    }
    if magnitude == 0 {
        return 1;
    }
    f32_to_bf16(bf16_to_f32(x + 1) - bf16_to_f32(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_bfloat16_is_the_next_value() {
        let next = nextafter::<0x7f80>;
        assert_eq!(next(0x3f80, 0x7f80), 0x3f81, "from 1 upwards");
        assert_eq!(next(0x3f80, 0xff80), 0x3f7f, "from 1 downwards");
        assert_eq!(next(0xbf80, 0x0000), 0xbf7f, "from -1 upwards");
        assert_eq!(next(0xbf80, 0xff80), 0xbf81, "from -1 downwards");
        assert_eq!(next(0x8000, 0x3f80), 0x0001, "from -0 upwards");
        assert_eq!(next(0x0000, 0xbf80), 0x8001, "from 0 downwards");
        assert_eq!(next(0x7f7f, 0x7f80), 0x7f80, "from the largest to infinity");
        assert_eq!(next(0x7f80, 0x0000), 0x7f7f, "from infinity back");
        assert_eq!(next(0x8000, 0x0000), 0x8000, "equal zeros");
        assert!(
            bf16_to_f32(next(0x7fc0, 0x3f80)).is_nan() && bf16_to_f32(next(0, 0x7fc0)).is_nan()
        );
    }

    #[test]
    fn spacing_is_the_distance_to_the_next_number() {
        let spacing = |value| bf16_to_f32(bf16_spacing(f32_to_bf16(value)));
        assert_eq!(spacing(1.0), 2f32.powi(-7));
        assert_eq!(spacing(-1.0), -(2f32.powi(-7)));
        assert_eq!([bf16_spacing(0x0000), bf16_spacing(0x8000)], [1, 1]);
        assert!(spacing(f32::INFINITY).is_nan() && spacing(f32::NAN).is_nan());
        let spacing = |value| f16_to_f32(f16_spacing(f32_to_f16(value)));
        assert_eq!([spacing(1.0), spacing(-1.0)], [2f32.powi(-10), 2f32.powi(-11)]);
        assert_eq!(spacing(65504.0), f32::INFINITY);
    }
}
