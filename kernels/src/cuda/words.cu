// A value of another thread of the warp, word by word: `move` is the shuffle of a word.
template <class T, class F> __device__ __forceinline__ T by_words(T x, F move) {
    union {
        T whole;
        unsigned words[(sizeof(T) + 3) / 4];
    } bits = {};
    bits.whole = x;
#pragma unroll
    for (int w = 0; w < (sizeof(T) + 3) / 4; w++) bits.words[w] = move(bits.words[w]);
    return bits.whole;
}

