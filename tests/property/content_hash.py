"""The hash that manifests name files by, by another library than src/support/hash.cpp: SHA-256 in hexadecimal."""
import hashlib


def content_hash(text):
    return hashlib.sha256(text.encode()).hexdigest()
