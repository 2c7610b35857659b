// An entry's position in the device's block, cut to the range of the block.
DEVICE u64 inside(i64 position, i64 origin, u64 entries) {
    if (position <= origin) return 0;
    u64 at = (u64)position - (u64)origin;
    return at < entries ? at : entries;
}
