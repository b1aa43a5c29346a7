#!/usr/bin/env python3
"""Print the timestamps of the samples of an OTLP payload, decoded from its bytes by the field numbers of the proto.

Fails if a timestamp is outside of the time range of its profile.
"""
import struct
import sys


def fields(data):
    """Yield number and value of each field of a message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 1:
            yield tag >> 3, struct.unpack_from("<Q", data, at)[0]
            at += 8
        else:
            size = varint()
            yield tag >> 3, data[at : at + size]
            at += size


def messages(data, number):
    """Return the messages of a repeated field."""
    return [value for key, value in fields(data) if key == number]


def check_profile(profile):
    """Print the timestamps of a Profile."""
    start = sum(v for k, v in fields(profile) if k == 3)
    duration = sum(v for k, v in fields(profile) if k == 4)
    for sample in messages(profile, 2):
        for packed in messages(sample, 5):
            for (time,) in struct.iter_unpack("<Q", packed):
                assert start <= time < start + duration, (start, time, duration)
                print(time)


with open(sys.argv[1], "rb") as file:
    request = file.read()
for resource in messages(request, 1):
    for scope in messages(resource, 2):
        for profile in messages(scope, 2):
            check_profile(profile)
