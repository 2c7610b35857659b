// The number of elements of a sorted vector that precede each value.
struct Argument {
    u64 sorted, values, to;
    // Elements of the vector; values; whether elements that equal a value precede it.
    u64 extent, total, has_equals;
    // What is added to each number.
    u64 first;
};

KERNEL(256) search(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    bool has_equals = a.has_equals != 0;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        Key key = key_at(a.values, i);
        u64 before = 0, left = a.extent;
        while (left > 0) {
            // The last element of the first half decides whether the whole half precedes the value.
            // If not, a later iteration may read it again, so that all threads iterate equally
            // often.
            u64 half = left - left / 2;
            Key element = key_at(a.sorted, before + half - 1);
            bool stands_before = has_equals ? !is_less(key, element) : is_less(element, key);
            before += stands_before ? half : 0;
            left -= half;
        }
        ((i64*)a.to)[i] = (i64)(a.first + before);
    }
}
