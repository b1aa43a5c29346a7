#!/usr/bin/env bash
# The cases of test_long_bottlenecks.sh that need no idle machine: synthesised archives.
exec bash "${BASH_SOURCE[0]%/*}/test_long_bottlenecks.sh" synthesised
