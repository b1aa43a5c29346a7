#!/usr/bin/env bash
# `pipa otlp check`: payloads of OTLP profiles and what their receivers refuse.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

golden=$PIPA_SOURCE/tests/fuzz/corpus/proto_json/golden

test_a_valid_payload_is_accepted_by_all_receivers() {
	cp "$golden" payload
	pipa otlp check payload
	status 0
	stdout << 'END'
payload: OTLP profiles, protobuf, layout 1.10; 1 resource, 1 profile, 1 sample; 0 errors, 0 warnings
profcheck: accepts the payload
Parca: accepts the payload
Pyroscope: accepts the payload
collector: accepts the payload
END
	stderr < /dev/null
}

test_compressed_payloads_and_standard_input_are_read() {
	local how

	for how in gzip zstd cat; do
		"$how" < "$golden" > payload
		pipa otlp check --receiver collector - < payload
		status 0
		has out 'standard input: OTLP profiles, protobuf, layout 1.10; 1 resource, 1 profile, 1 sample;'
	done
}

test_findings_name_path_receivers_and_rule() {
	cat > payload.json << 'END'
{"resourceProfiles":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},
 "scopeProfiles":[{"scope":{"name":"p"},"profiles":[
  {"sampleType":{"typeStrindex":1},"timeUnixNano":"5","durationNano":"9","samples":[{"stackIndex":7,"values":["1"]}]}]}]}],
 "dictionary":{"mappingTable":[{}],"locationTable":[{}],"functionTable":[{}],"attributeTable":[{}],"stackTable":[{}],
  "linkTable":[{"traceId":"00000000000000000000000000000000","spanId":"0000000000000000"}],"stringTable":["","x"]}}
END
	pipa otlp check payload.json
	status 1
	stdout << 'END'
payload.json: OTLP profiles, JSON; 1 resource, 1 profile, 1 sample; 3 errors, 0 warnings
error: dictionary.link_table[0]: ids of zeros, expected an empty link; refused by profcheck, Parca [zero-link]
error: resource_profiles[0].scope_profiles[0].profiles[0].period_type: is missing; an empty one is enough; refused by Parca [no-period-type]
error: resource_profiles[0].scope_profiles[0].profiles[0].samples[0].stack_index: index 7 is outside of stack_table, which has 1 entries; refused by profcheck, Parca, Pyroscope [index]
profcheck: refuses the payload, 2 errors
Parca: refuses the payload, 3 errors
Pyroscope: refuses the payload, 1 error
collector: accepts the payload
END
	pipa otlp check --receiver collector payload.json
	status 0
	has out '; 0 errors, 3 warnings'
	pipa otlp check --receiver collector --strict payload.json
	status 1
	pipa otlp check --receiver PYROSCOPE,parca payload.json
	status 1
	has out '; 3 errors, 0 warnings'
}

test_the_number_of_findings_is_limited() {
	printf '{"resourceProfiles":[%s{}]}' "$(printf '{},%.0s' {1..99})" > payload
	pipa otlp check payload
	status 1
	has out 'error: 90 more of [no-scope-profiles]'
	has out 'warning: 90 more of [service-name]'
	[[ $(wc -l < out) -eq 28 ]] || fail 'lines' 28 "$(wc -l < out)"
	pipa otlp check -n 1000 payload
	[[ $(wc -l < out) -eq 206 ]] || fail 'lines' 206 "$(wc -l < out)"
}

test_the_layout_is_detected_or_given() {
	pipa otlp check "${golden}_1_9"
	status 0
	has out 'protobuf, layout 1.9;'
	has out '0 errors, 1 warning'
	pipa otlp check --otlp-layout 1.9 "${golden}_1_9"
	status 0
	has out '0 errors, 0 warnings'
	pipa otlp check --otlp-layout 1.10 "${golden}_1_9"
	status 1
}

test_malformed_payloads_are_findings_with_their_offset() {
	head -c 300 "$golden" > payload
	pipa otlp check payload
	status 1
	has out 'error: byte 81: ProfilesData: length exceeds the message; refused by profcheck, Parca, Pyroscope, collector [malformed]'
	printf '{"dictionary":{"stringTable":["\\ud800"]}}' > payload
	pipa otlp check payload
	status 1
	has out 'error: byte 31: ProfilesDictionary.string_table: unpaired surrogate in a string; refused by'
}

test_hostile_strings_are_escaped() {
	local csi

	csi=$(printf '\033[2J')
	cp "$golden" "a${csi}b"
	pipa otlp check "a${csi}b"
	status 0
	! grep -q "$csi" out || fail 'the name' 'escaped' "$(cat -v out)"
}

test_other_files_and_wrong_arguments_are_refused() {
	pipa otlp check "$PIPA_SOURCE/tests/fuzz/corpus/pprof/golden"
	status 2
	has err 'it is a pprof profile'
	pipa otlp check no-such-file
	status 2
	has err "cannot open"
	pipa otlp check --receiver jaeger "$golden"
	status 2
	has err "--receiver: invalid receiver 'jaeger', expected profcheck, Parca, Pyroscope or collector"
	pipa otlp check --otlp-layout 1.8 "$golden"
	status 2
	has err "--otlp-layout: invalid version '1.8', expected 1.10 or 1.9"
	pipa otlp check -f xml "$golden"
	status 2
	has err "--format: invalid format 'xml', expected text or json"
	pipa otlp send "$golden"
	status 2
	has err "unknown action 'send'"
	pipa otlp check
	status 2
	has err 'no file given'
}

run_tests "$@"
