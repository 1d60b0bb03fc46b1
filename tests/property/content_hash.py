"""The hash that manifests name files by, as src/support/hash.cpp makes it: 128 bits in hexadecimal."""


def content_hash(text):
    def half(seed):
        mask = 2**64 - 1
        h = 0xcbf29ce484222325 ^ seed
        for byte in text.encode():
            h = (h ^ byte) * 0x100000001b3 & mask
        h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd & mask
        h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53 & mask
        return h ^ (h >> 33)
    return f"{half(0):016x}{half(0x9e3779b97f4a7c15):016x}"
