// Integers with the order of elements: NaN last, zeros equal. Complex numbers are ordered by real
// part, then by imaginary part. Numbers with NaN in the imaginary part follow all others, numbers
// with NaN in the real part follow these, and numbers with NaN in both parts are last.
//
// `Word` is the unsigned integer as wide as an element or its parts, `FORM` 0 for unsigned integers
// and truth values, 1 for signed integers, 2 for floating point, 3 for complex numbers, and
// `INFINITE` has the bits of infinity.
#define SIGN ((Word)1 << (8 * sizeof(Word) - 1))

DEVICE Word order_of(Word bits) {
    if (FORM == 0) return bits;
    if (FORM == 1) return bits ^ SIGN;
    Word magnitude = bits & ~SIGN;
    if (magnitude > INFINITE) return (Word)~(Word)0;
    if (magnitude == 0) return SIGN;
    return bits & SIGN ? (Word)~bits : (Word)(bits | SIGN);
}

#if FORM == 3
struct Key {
    Word first, second;
};

DEVICE Key key_at(u64 from, u64 at) {
    Word re = ((const Word*)from)[2 * at], im = ((const Word*)from)[2 * at + 1];
    bool has_re = (re & ~SIGN) <= INFINITE, has_im = (im & ~SIGN) <= INFINITE;
    // Integers above that of plus infinity belong to no number.
    Word beyond = INFINITE | SIGN;
    if (has_re && has_im) return Key{order_of(re), order_of(im)};
    if (has_re) return Key{beyond + 1, order_of(re)};
    if (has_im) return Key{beyond + 2, order_of(im)};
    return Key{beyond + 3, 0};
}

DEVICE bool is_less(Key a, Key b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
}
#else
typedef Word Key;

DEVICE Key key_at(u64 from, u64 at) { return order_of(((const Word*)from)[at]); }

DEVICE bool is_less(Key a, Key b) { return a < b; }
#endif
