// A value of another thread of the warp, word by word: `move` is the shuffle of a word.
template <class X, class F> __device__ __forceinline__ X by_words(X x, F move) {
    union {
        X whole;
        unsigned words[(sizeof(X) + 3) / 4];
    } bits = {};
    bits.whole = x;
#pragma unroll
    for (int w = 0; w < (sizeof(X) + 3) / 4; w++) bits.words[w] = move(bits.words[w]);
    return bits.whole;
}

