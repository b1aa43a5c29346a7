#include "collect/meter/meter_table.h"

#include "collect/meter/meter_columns.h"

/* Sections from /proc in sar's order; a new one is a word here and a table in meter_*.c. */
/* clang-format off */
#define SECTIONS(X) \
	X(cpu) X(cpu_short) X(cswch) X(interrupts) X(softirq) X(swapping) X(paging) X(io) X(mem) X(swap) \
	X(hugepages) X(kernel_tables) X(load) X(tty) X(disk) X(net) X(net_errors) \
	X(nfs) X(nfsd) X(sockets) X(ip) X(ip_errors) X(icmp) X(icmp_errors) X(tcp) \
	X(tcp_errors) X(udp) X(sockets6) X(ip6) X(ip6_errors) X(icmp6) X(icmp6_errors) \
	X(udp6) X(softnet) X(psi_cpu) X(psi_io) X(psi_memory)
/* clang-format on */

#define X(name) extern const struct pipa_meter_section pipa_meter_##name;
SECTIONS(X)
#undef X

#define X(name) &pipa_meter_##name,
const struct pipa_meter_section *const pipa_meter_table[] = { SECTIONS(X) };
#undef X

const size_t pipa_n_meter_table = PIPA_COUNT(pipa_meter_table);

double pipa_meter_value(const struct pipa_metric_input *m, const struct pipa_formula *f)
{
	switch (f->kind) {
	case PIPA_FORMULA_NONE: return NAN;
	case PIPA_FORMULA_GAUGE: return value(m, f->field) * f->factor;
	case PIPA_FORMULA_RATE: return growth(m, f->field) / m->seconds * f->factor;
	case PIPA_FORMULA_STATE:
	case PIPA_FORMULA_CALC: return f->calc(m);
	}
	return NAN;
}
