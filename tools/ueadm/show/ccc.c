// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control contexts, which traffic creates: shown, never changed.
 */
#include <linux/uet_nl.h>

#include "ueadm.h"
#include "uet_names.h"

static const struct uea_field ccc_fields[] = {
	UEA_FIELD(UET_A_CCC_FEP, UEA_STRING, "fep"),
	UEA_FIELD(UET_A_CCC_PEER4, UEA_IPV4, "peer"),
	UEA_FIELD(UET_A_CCC_PEER6, UEA_IPV6, "peer"),
	UEA_NAMED_FIELD(UET_A_CCC_MODE, "mode", uet_mode_names),
	UEA_NAMED_FIELD(UET_A_CCC_CC, "cc", uet_cc_names),
	UEA_NAMED_FIELD(UET_A_CCC_PATHS, "paths", uet_paths_names),
	UEA_FIELD(UET_A_CCC_STATE, UEA_STRING, "state"),
	UEA_FIELD(UET_A_CCC_PDCS, UEA_U32, "pdcs"),
	UEA_FIELD(UET_A_CCC_WAITING, UEA_U32, "waiting"),
	UEA_FIELD(UET_A_CCC_CWND, UEA_U64, "cwnd"),
	UEA_FIELD(UET_A_CCC_MAX_CWND, UEA_U64, "max-cwnd"),
	UEA_FIELD(UET_A_CCC_INFLIGHT, UEA_U64, "inflight"),
	UEA_FIELD(UET_A_CCC_INFLIGHT_PKTS, UEA_U32, "inflight-pkts"),
	UEA_FIELD(UET_A_CCC_BACKLOG, UEA_U64, "backlog"),
	UEA_FIELD(UET_A_CCC_RATE, UEA_U32, "rate"),
	UEA_FIELD(UET_A_CCC_BASE_RTT_NS, UEA_TIME, "base-rtt-ns"),
	UEA_FIELD(UET_A_CCC_DELAY_NS, UEA_TIME, "delay-ns"),
	UEA_FIELD(UET_A_CCC_TARGET_NS, UEA_TIME, "target-ns"),
	UEA_FIELD(UET_A_CCC_ACKS, UEA_U32, "acks"),
	UEA_FIELD(UET_A_CCC_MARKED, UEA_U32, "marked"),
	UEA_FIELD(UET_A_CCC_SAMPLES, UEA_U32, "samples"),
	UEA_FIELD(UET_A_CCC_TRIMS, UEA_U32, "trims"),
	UEA_FIELD(UET_A_CCC_TRIMS_LASTHOP, UEA_U32, "trims-lasthop"),
	UEA_FIELD(UET_A_CCC_NACKS, UEA_U32, "nacks"),
	UEA_FIELD(UET_A_CCC_LOSSES, UEA_U32, "losses"),
	UEA_FIELD(UET_A_CCC_FOUND, UEA_U32, "found"),
	UEA_FIELD(UET_A_CCC_DECREASES, UEA_U32, "decreases"),
	UEA_FIELD(UET_A_CCC_QUICK_ADAPTS, UEA_U32, "quick-adapts"),
	UEA_FIELD(UET_A_CCC_FAST_INCREASES, UEA_U32, "fast-increases"),
	UEA_FIELD(UET_A_CCC_EV_GOOD, UEA_U32, "ev-good"),
	UEA_FIELD(UET_A_CCC_EV_ECN, UEA_U32, "ev-ecn"),
	UEA_FIELD(UET_A_CCC_EV_NACK, UEA_U32, "ev-nack"),
	UEA_FIELD(UET_A_CCC_EV_TIMEOUT, UEA_U32, "ev-timeout"),
	UEA_FIELD(UET_A_CCC_PEND, UEA_U32, "pend"),
	UEA_FIELD(UET_A_CCC_PENDS, UEA_U32, "pends"),
	UEA_FIELD(UET_A_CCC_QUEUED, UEA_U32, "queued"),
	UEA_FIELD(UET_A_CCC_THROTTLED, UEA_U32, "throttled"),
	UEA_FIELD(UET_A_CCC_CREDIT, UEA_U64, "credit"),
	UEA_FIELD(UET_A_CCC_CREDIT_TARGET, UEA_U32, "credit-target"),
	UEA_FIELD(UET_A_CCC_GRANTED, UEA_U32, "granted"),
	UEA_FIELD(UET_A_CCC_UNPACED, UEA_BOOL, "unpaced"),
	UEA_FIELD(UET_A_CCC_CREDITS, UEA_U32, "credits"),
	UEA_FIELD(UET_A_CCC_CREDIT_REQUESTS, UEA_U32, "credit-requests"),
	{ .attr = 0 },
};

static const struct uea_column ccc_columns[] = {
	UEA_COLUMN_IN(UEA_NAME, "FEP", "fep", NULL),
	UEA_COLUMN_IN(UEA_ADDRESS, "PEER", "peer", NULL),
	UEA_COLUMN("MODE", "mode", NULL),
	UEA_COLUMN("CC", "cc", NULL),
	UEA_COLUMN("PATHS", "paths", NULL),
	UEA_COLUMN("STATE", "state", NULL),
	UEA_COLUMN("PDCS", "pdcs", NULL),
	UEA_COLUMN("WAITING", "waiting", NULL),
	UEA_COLUMN("CWND", "cwnd", NULL),
	UEA_COLUMN("INFLIGHT", "inflight", NULL),
	UEA_COLUMN("BASE-RTT", "base-rtt-ns", uea_format_us),
	UEA_COLUMN("DELAY", "delay-ns", uea_format_us),
	UEA_COLUMN("PEND", "pend", NULL),
	UEA_COLUMN("CREDIT", "credit", NULL),
	UEA_COLUMN("CREDIT-TARGET", "credit-target", NULL),
	UEA_COLUMN("GRANTED", "granted", NULL),
	UEA_COLUMN("MARKED", "marked", NULL),
	UEA_COLUMN("TRIMS", "trims", NULL),
	UEA_COLUMN("LOSSES", "losses", NULL),
	{ .head = NULL },
};

/* All counters, in addition to the context's identity. */
static const struct uea_column ccc_counters[] = {
	UEA_COLUMN_IN(UEA_NAME, "FEP", "fep", NULL),
	UEA_COLUMN_IN(UEA_ADDRESS, "PEER", "peer", NULL),
	UEA_COLUMN("ACKS", "acks", NULL),
	UEA_COLUMN("MARKED", "marked", NULL),
	UEA_COLUMN("SAMPLES", "samples", NULL),
	UEA_COLUMN("TRIMS", "trims", NULL),
	UEA_COLUMN("TRIMS-LASTHOP", "trims-lasthop", NULL),
	UEA_COLUMN("NACKS", "nacks", NULL),
	UEA_COLUMN("LOSSES", "losses", NULL),
	UEA_COLUMN("FOUND", "found", NULL),
	UEA_COLUMN("DECREASES", "decreases", NULL),
	UEA_COLUMN("QUICK-ADAPTS", "quick-adapts", NULL),
	UEA_COLUMN("FAST-INCREASES", "fast-increases", NULL),
	UEA_COLUMN("EV-GOOD", "ev-good", NULL),
	UEA_COLUMN("EV-ECN", "ev-ecn", NULL),
	UEA_COLUMN("EV-NACK", "ev-nack", NULL),
	UEA_COLUMN("EV-TIMEOUT", "ev-timeout", NULL),
	UEA_COLUMN("PENDS", "pends", NULL),
	UEA_COLUMN("THROTTLED", "throttled", NULL),
	UEA_COLUMN("CREDITS", "credits", NULL),
	UEA_COLUMN("CREDIT-REQUESTS", "credit-requests", NULL),
	UEA_COLUMN("UNPACED", "unpaced", NULL),
	{ .head = NULL },
};

static const struct uea_param ccc_params[] = {
	{
		.word = "fep", .value = "NAME", .arg = UEA_ARG_STRING,
		.attr = UET_A_CCC_FEP, .max = UET_NAME_LEN_MAX,
		.is_needed = true, .names = &uea_fep,
	}, {
		.word = "fa", .value = "FA", .arg = UEA_ARG_ADDR,
		.attr = UET_A_CCC_PEER4, .is_needed = true,
	},
};

static const struct uea_verb ccc_verbs[] = {
	{
		.name = "show", .cmd = UET_CMD_CCC_GET, .run = uea_run_show,
		.filters = true, UEA_PARAMS(ccc_params),
	},
	{ .name = NULL },
};

const struct uea_object uea_ccc = {
	.name = "ccc",
	.fields = ccc_fields,
	.columns = ccc_columns,
	.counters = ccc_counters,
	.verbs = ccc_verbs,
};
