// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/uet.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "nl_gen.h"

#include <uapi/linux/uet_nl.h>

/* UET_CMD_RAIL_NEW - do */
static const struct nla_policy uet_rail_new_nl_policy[UET_A_RAIL_PLANE + 1] = {
	[UET_A_RAIL_IFINDEX] = { .type = NLA_U32, },
	[UET_A_RAIL_PLANE] = { .type = NLA_U32, },
};

/* UET_CMD_RAIL_DEL - do */
static const struct nla_policy uet_rail_del_nl_policy[UET_A_RAIL_IFINDEX + 1] = {
	[UET_A_RAIL_IFINDEX] = { .type = NLA_U32, },
};

/* UET_CMD_RAIL_GET - do */
static const struct nla_policy uet_rail_get_nl_policy[UET_A_RAIL_IFINDEX + 1] = {
	[UET_A_RAIL_IFINDEX] = { .type = NLA_U32, },
};

/* UET_CMD_FEP_NEW - do */
static const struct nla_policy uet_fep_new_nl_policy[UET_A_FEP_JOB_ZERO + 1] = {
	[UET_A_FEP_NAME] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_FEP_ADDR4] = { .type = NLA_U32, },
	[UET_A_FEP_ADDR6] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_FEP_SCOPE_ID] = { .type = NLA_U32, },
	[UET_A_FEP_MTU] = { .type = NLA_U32, },
	[UET_A_FEP_PORT] = { .type = NLA_U16, },
	[UET_A_FEP_PROTECT] = NLA_POLICY_MAX(NLA_U8, 2),
	[UET_A_FEP_DSCP_REQUEST] = NLA_POLICY_MAX(NLA_U8, 63),
	[UET_A_FEP_DSCP_RETX] = NLA_POLICY_MAX(NLA_U8, 63),
	[UET_A_FEP_DSCP_CONTROL] = NLA_POLICY_MAX(NLA_U8, 63),
	[UET_A_FEP_IFINDEX] = { .type = NLA_U32, },
	[UET_A_FEP_ENCAP] = NLA_POLICY_MAX(NLA_U8, 1),
	[UET_A_FEP_PROTO] = { .type = NLA_U8, },
	[UET_A_FEP_WINDOW] = { .type = NLA_U32, },
	[UET_A_FEP_DEFAULT_MPR] = { .type = NLA_U32, },
	[UET_A_FEP_ACK_GEN_TRIGGER] = { .type = NLA_U32, },
	[UET_A_FEP_ACK_GEN_MIN_ADD] = { .type = NLA_U32, },
	[UET_A_FEP_ACK_DELAY_NS] = { .type = NLA_U64, },
	[UET_A_FEP_RTO_INIT_NS] = { .type = NLA_U64, },
	[UET_A_FEP_RTO_MAX_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MAX_RTO_RETX] = { .type = NLA_U32, },
	[UET_A_FEP_NACK_RETX_NS] = { .type = NLA_U64, },
	[UET_A_FEP_NACK_RETX_MAX_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MAX_NACK_RETX] = { .type = NLA_U32, },
	[UET_A_FEP_CLOSE_REQ_NS] = { .type = NLA_U64, },
	[UET_A_FEP_IDLE_NS] = { .type = NLA_U64, },
	[UET_A_FEP_TARGET_IDLE_NS] = { .type = NLA_U64, },
	[UET_A_FEP_ACK_ON_ECN] = { .type = NLA_U8, },
	[UET_A_FEP_ACK_PER_PKT] = { .type = NLA_U8, },
	[UET_A_FEP_DSCP_TRIMMED] = { .type = NLA_U8, },
	[UET_A_FEP_DSCP_TRIMMED_LASTHOP] = { .type = NLA_U8, },
	[UET_A_FEP_TAIL_LOSS_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MAX_TAIL_LOSS_RETX] = { .type = NLA_U32, },
	[UET_A_FEP_CLEAR_TIME_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MAX_GTD] = { .type = NLA_U32, },
	[UET_A_FEP_NEW_PDC_NS] = { .type = NLA_U64, },
	[UET_A_FEP_HEADERS] = NLA_POLICY_MAX(NLA_U8, 1),
	[UET_A_FEP_MAX_ACK_DATA] = { .type = NLA_U32, },
	[UET_A_FEP_SD] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_FEP_CC] = NLA_POLICY_MAX(NLA_U8, 4),
	[UET_A_FEP_PATHS] = NLA_POLICY_MAX(NLA_U8, 5),
	[UET_A_FEP_CC_RATE] = { .type = NLA_U32, },
	[UET_A_FEP_CC_BASE_RTT_NS] = { .type = NLA_U64, },
	[UET_A_FEP_CC_TARGET_NS] = { .type = NLA_U64, },
	[UET_A_FEP_CWND] = { .type = NLA_U32, },
	[UET_A_FEP_EV_COUNT] = { .type = NLA_U32, },
	[UET_A_FEP_EV_BURST] = { .type = NLA_U32, },
	[UET_A_FEP_ORPHAN_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MPR_ZERO] = { .type = NLA_U32, },
	[UET_A_FEP_BURST] = { .type = NLA_U32, },
	[UET_A_FEP_PEER_TIMEOUT_NS] = { .type = NLA_U64, },
	[UET_A_FEP_REORDER_MIN_NS] = { .type = NLA_U64, },
	[UET_A_FEP_CC_STRICT] = { .type = NLA_U8, },
	[UET_A_FEP_CREDIT_RUN] = { .type = NLA_U32, },
	[UET_A_FEP_CREDIT_RATE] = { .type = NLA_U32, },
	[UET_A_FEP_SYN_RETX_SAFETY_NS] = { .type = NLA_U64, },
	[UET_A_FEP_ACK_CLEARS] = { .type = NLA_U8, },
	[UET_A_FEP_AMO_HOST] = { .type = NLA_U8, },
	[UET_A_FEP_MSWAP_XOR] = { .type = NLA_U8, },
	[UET_A_FEP_FIXED_PORT] = { .type = NLA_U8, },
	[UET_A_FEP_JOB_ZERO] = { .type = NLA_U32, },
};

/* UET_CMD_FEP_DEL - do */
static const struct nla_policy uet_fep_del_nl_policy[UET_A_FEP_NAME + 1] = {
	[UET_A_FEP_NAME] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
};

/* UET_CMD_FEP_GET - do */
static const struct nla_policy uet_fep_get_nl_policy[UET_A_FEP_NAME + 1] = {
	[UET_A_FEP_NAME] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
};

/* UET_CMD_JOB_NEW - do */
static const struct nla_policy uet_job_new_nl_policy[UET_A_JOB_INET_ONLY + 1] = {
	[UET_A_JOB_ID] = { .type = NLA_U32, },
	[UET_A_JOB_NAME] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_JOB_UID] = { .type = NLA_U32, },
	[UET_A_JOB_GID] = { .type = NLA_U32, },
	[UET_A_JOB_PID_MIN] = NLA_POLICY_MAX(NLA_U16, 4095),
	[UET_A_JOB_PID_MAX] = NLA_POLICY_MAX(NLA_U16, 4095),
	[UET_A_JOB_FEP] = { .type = NLA_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_JOB_INET_ONLY] = NLA_POLICY_MAX(NLA_U8, 1),
};

/* UET_CMD_JOB_DEL - do */
static const struct nla_policy uet_job_del_nl_policy[UET_A_JOB_ID + 1] = {
	[UET_A_JOB_ID] = { .type = NLA_U32, },
};

/* UET_CMD_JOB_GET - do */
static const struct nla_policy uet_job_get_nl_policy[UET_A_JOB_ID + 1] = {
	[UET_A_JOB_ID] = { .type = NLA_U32, },
};

/* UET_CMD_EP_GET - do */
static const struct nla_policy uet_ep_get_nl_policy[UET_A_EP_ABSOLUTE + 1] = {
	[UET_A_EP_FEP] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_EP_JOB] = { .type = NLA_U32, },
	[UET_A_EP_PID] = { .type = NLA_U16, },
	[UET_A_EP_RI] = { .type = NLA_U16, },
	[UET_A_EP_ABSOLUTE] = { .type = NLA_FLAG, },
};

/* UET_CMD_PDC_GET - do */
static const struct nla_policy uet_pdc_get_nl_policy[UET_A_PDC_ID + 1] = {
	[UET_A_PDC_FEP] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_PDC_ID] = { .type = NLA_U32, },
};

/* UET_CMD_STATS_GET - do */
static const struct nla_policy uet_stats_get_nl_policy[UET_A_STATS_NAME + 1] = {
	[UET_A_STATS_KIND] = NLA_POLICY_MAX(NLA_U8, 1),
	[UET_A_STATS_NAME] = { .type = NLA_NUL_STRING, },
};

/* UET_CMD_FEATURES_GET - do */
static const struct nla_policy uet_features_get_nl_policy[UET_A_FEATURES_CAPABILITY + 1] = {
	[UET_A_FEATURES_CAPABILITY] = { .type = NLA_STRING, },
};

/* UET_CMD_FEP_SET - do */
static const struct nla_policy uet_fep_set_nl_policy[UET_A_FEP_JOB_ZERO + 1] = {
	[UET_A_FEP_NAME] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_FEP_ADDR4] = { .type = NLA_U32, },
	[UET_A_FEP_ADDR6] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_FEP_SCOPE_ID] = { .type = NLA_U32, },
	[UET_A_FEP_MTU] = { .type = NLA_U32, },
	[UET_A_FEP_PORT] = { .type = NLA_U16, },
	[UET_A_FEP_PROTECT] = NLA_POLICY_MAX(NLA_U8, 2),
	[UET_A_FEP_DSCP_REQUEST] = NLA_POLICY_MAX(NLA_U8, 63),
	[UET_A_FEP_DSCP_RETX] = NLA_POLICY_MAX(NLA_U8, 63),
	[UET_A_FEP_DSCP_CONTROL] = NLA_POLICY_MAX(NLA_U8, 63),
	[UET_A_FEP_IFINDEX] = { .type = NLA_U32, },
	[UET_A_FEP_ENCAP] = NLA_POLICY_MAX(NLA_U8, 1),
	[UET_A_FEP_PROTO] = { .type = NLA_U8, },
	[UET_A_FEP_WINDOW] = { .type = NLA_U32, },
	[UET_A_FEP_DEFAULT_MPR] = { .type = NLA_U32, },
	[UET_A_FEP_ACK_GEN_TRIGGER] = { .type = NLA_U32, },
	[UET_A_FEP_ACK_GEN_MIN_ADD] = { .type = NLA_U32, },
	[UET_A_FEP_ACK_DELAY_NS] = { .type = NLA_U64, },
	[UET_A_FEP_RTO_INIT_NS] = { .type = NLA_U64, },
	[UET_A_FEP_RTO_MAX_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MAX_RTO_RETX] = { .type = NLA_U32, },
	[UET_A_FEP_NACK_RETX_NS] = { .type = NLA_U64, },
	[UET_A_FEP_NACK_RETX_MAX_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MAX_NACK_RETX] = { .type = NLA_U32, },
	[UET_A_FEP_CLOSE_REQ_NS] = { .type = NLA_U64, },
	[UET_A_FEP_IDLE_NS] = { .type = NLA_U64, },
	[UET_A_FEP_TARGET_IDLE_NS] = { .type = NLA_U64, },
	[UET_A_FEP_ACK_ON_ECN] = { .type = NLA_U8, },
	[UET_A_FEP_ACK_PER_PKT] = { .type = NLA_U8, },
	[UET_A_FEP_DSCP_TRIMMED] = { .type = NLA_U8, },
	[UET_A_FEP_DSCP_TRIMMED_LASTHOP] = { .type = NLA_U8, },
	[UET_A_FEP_TAIL_LOSS_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MAX_TAIL_LOSS_RETX] = { .type = NLA_U32, },
	[UET_A_FEP_CLEAR_TIME_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MAX_GTD] = { .type = NLA_U32, },
	[UET_A_FEP_NEW_PDC_NS] = { .type = NLA_U64, },
	[UET_A_FEP_HEADERS] = NLA_POLICY_MAX(NLA_U8, 1),
	[UET_A_FEP_MAX_ACK_DATA] = { .type = NLA_U32, },
	[UET_A_FEP_SD] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_FEP_CC] = NLA_POLICY_MAX(NLA_U8, 4),
	[UET_A_FEP_PATHS] = NLA_POLICY_MAX(NLA_U8, 5),
	[UET_A_FEP_CC_RATE] = { .type = NLA_U32, },
	[UET_A_FEP_CC_BASE_RTT_NS] = { .type = NLA_U64, },
	[UET_A_FEP_CC_TARGET_NS] = { .type = NLA_U64, },
	[UET_A_FEP_CWND] = { .type = NLA_U32, },
	[UET_A_FEP_EV_COUNT] = { .type = NLA_U32, },
	[UET_A_FEP_EV_BURST] = { .type = NLA_U32, },
	[UET_A_FEP_ORPHAN_NS] = { .type = NLA_U64, },
	[UET_A_FEP_MPR_ZERO] = { .type = NLA_U32, },
	[UET_A_FEP_BURST] = { .type = NLA_U32, },
	[UET_A_FEP_PEER_TIMEOUT_NS] = { .type = NLA_U64, },
	[UET_A_FEP_REORDER_MIN_NS] = { .type = NLA_U64, },
	[UET_A_FEP_CC_STRICT] = { .type = NLA_U8, },
	[UET_A_FEP_CREDIT_RUN] = { .type = NLA_U32, },
	[UET_A_FEP_CREDIT_RATE] = { .type = NLA_U32, },
	[UET_A_FEP_SYN_RETX_SAFETY_NS] = { .type = NLA_U64, },
	[UET_A_FEP_ACK_CLEARS] = { .type = NLA_U8, },
	[UET_A_FEP_AMO_HOST] = { .type = NLA_U8, },
	[UET_A_FEP_MSWAP_XOR] = { .type = NLA_U8, },
	[UET_A_FEP_FIXED_PORT] = { .type = NLA_U8, },
	[UET_A_FEP_JOB_ZERO] = { .type = NLA_U32, },
};

/* UET_CMD_PING - do */
static const struct nla_policy uet_ping_nl_policy[UET_A_PING_READ + 1] = {
	[UET_A_PING_FEP] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_PING_ADDR4] = { .type = NLA_U32, },
	[UET_A_PING_ADDR6] = NLA_POLICY_EXACT_LEN(16),
	[UET_A_PING_SCOPE_ID] = { .type = NLA_U32, },
	[UET_A_PING_JOB] = { .type = NLA_U32, },
	[UET_A_PING_IFINDEX] = { .type = NLA_U32, },
	[UET_A_PING_SIZE] = { .type = NLA_U32, },
	[UET_A_PING_READ] = { .type = NLA_U32, },
};

/* UET_CMD_RAIL_SET - do */
static const struct nla_policy uet_rail_set_nl_policy[UET_A_RAIL_INGRESS + 1] = {
	[UET_A_RAIL_IFINDEX] = { .type = NLA_U32, },
	[UET_A_RAIL_INGRESS] = NLA_POLICY_MAX(NLA_U8, 1),
};

/* UET_CMD_SD_NEW - do */
static const struct nla_policy uet_sd_new_nl_policy[UET_A_SD_FAIL_LIMIT + 1] = {
	[UET_A_SD_NAME] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_SD_SDI] = { .type = NLA_U32, },
	[UET_A_SD_MODE] = NLA_POLICY_MAX(NLA_U8, 2),
	[UET_A_SD_CLIENT] = { .type = NLA_FLAG, },
	[UET_A_SD_IPV6] = { .type = NLA_FLAG, },
	[UET_A_SD_SSI] = { .type = NLA_U32, },
	[UET_A_SD_REKEY_MASK] = { .type = NLA_U64, },
	[UET_A_SD_REKEY_SHIFT] = { .type = NLA_U8, },
	[UET_A_SD_EPOCH_AGE] = { .type = NLA_U16, },
	[UET_A_SD_SEAL_LIMIT] = { .type = NLA_U64, },
	[UET_A_SD_FAIL_LIMIT] = { .type = NLA_U64, },
};

/* UET_CMD_SD_DEL - do */
static const struct nla_policy uet_sd_del_nl_policy[UET_A_SD_NAME + 1] = {
	[UET_A_SD_NAME] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
};

/* UET_CMD_SD_SET - do */
static const struct nla_policy uet_sd_set_nl_policy[UET_A_SD_REVOKE + 1] = {
	[UET_A_SD_NAME] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_SD_AN] = NLA_POLICY_MAX(NLA_U8, 1),
	[UET_A_SD_KEY] = NLA_POLICY_EXACT_LEN(32),
	[UET_A_SD_MASK] = NLA_POLICY_EXACT_LEN(12),
	[UET_A_SD_EPOCH] = { .type = NLA_U16, },
	[UET_A_SD_TSC] = { .type = NLA_U64, },
	[UET_A_SD_USE] = NLA_POLICY_MAX(NLA_U8, 1),
	[UET_A_SD_FORGET] = NLA_POLICY_MAX(NLA_U8, 1),
	[UET_A_SD_NUMBER] = { .type = NLA_U32, },
	[UET_A_SD_CHECK] = { .type = NLA_U32, },
	[UET_A_SD_REVOKE] = { .type = NLA_FLAG, },
};

/* UET_CMD_SD_GET - do */
static const struct nla_policy uet_sd_get_nl_policy[UET_A_SD_NAME + 1] = {
	[UET_A_SD_NAME] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
};

/* UET_CMD_CCC_GET - do */
static const struct nla_policy uet_ccc_get_nl_policy[UET_A_CCC_PEER6 + 1] = {
	[UET_A_CCC_FEP] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_CCC_PEER4] = { .type = NLA_U32, },
	[UET_A_CCC_PEER6] = NLA_POLICY_EXACT_LEN(16),
};

/* UET_CMD_PDC_DEL - do */
static const struct nla_policy uet_pdc_del_nl_policy[UET_A_PDC_ID + 1] = {
	[UET_A_PDC_FEP] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_PDC_ID] = { .type = NLA_U32, },
};

/* UET_CMD_PDC_HISTORY_GET - do */
static const struct nla_policy uet_pdc_history_get_nl_policy[UET_A_PDC_ID + 1] = {
	[UET_A_PDC_FEP] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_PDC_ID] = { .type = NLA_U32, },
};

/* UET_CMD_FEP_TRAFFIC_GET - do */
static const struct nla_policy uet_fep_traffic_get_nl_policy[UET_A_TRAFFIC_FEP + 1] = {
	[UET_A_TRAFFIC_FEP] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
};

/* UET_CMD_JOB_TRAFFIC_GET - do */
static const struct nla_policy uet_job_traffic_get_nl_policy[UET_A_TRAFFIC_JOB + 1] = {
	[UET_A_TRAFFIC_JOB] = { .type = NLA_U32, },
};

/* UET_CMD_PEER_GET - do */
static const struct nla_policy uet_peer_get_nl_policy[UET_A_TRAFFIC_PEER6 + 1] = {
	[UET_A_TRAFFIC_FEP] = { .type = NLA_NUL_STRING, .len = UET_NAME_LEN_MAX, },
	[UET_A_TRAFFIC_PEER4] = { .type = NLA_U32, },
	[UET_A_TRAFFIC_PEER6] = NLA_POLICY_EXACT_LEN(16),
};

/* Ops table for uet */
const struct genl_ops uet_nl_ops[26] = {
	{
		.cmd		= UET_CMD_RAIL_NEW,
		.doit		= uet_nl_rail_new_doit,
		.policy		= uet_rail_new_nl_policy,
		.maxattr	= UET_A_RAIL_PLANE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_RAIL_DEL,
		.doit		= uet_nl_rail_del_doit,
		.policy		= uet_rail_del_nl_policy,
		.maxattr	= UET_A_RAIL_IFINDEX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_RAIL_GET,
		.doit		= uet_nl_rail_get_doit,
		.dumpit		= uet_nl_rail_get_dumpit,
		.policy		= uet_rail_get_nl_policy,
		.maxattr	= UET_A_RAIL_IFINDEX,
	},
	{
		.cmd		= UET_CMD_FEP_NEW,
		.doit		= uet_nl_fep_new_doit,
		.policy		= uet_fep_new_nl_policy,
		.maxattr	= UET_A_FEP_JOB_ZERO,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_FEP_DEL,
		.doit		= uet_nl_fep_del_doit,
		.policy		= uet_fep_del_nl_policy,
		.maxattr	= UET_A_FEP_NAME,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_FEP_GET,
		.doit		= uet_nl_fep_get_doit,
		.dumpit		= uet_nl_fep_get_dumpit,
		.policy		= uet_fep_get_nl_policy,
		.maxattr	= UET_A_FEP_NAME,
	},
	{
		.cmd		= UET_CMD_JOB_NEW,
		.doit		= uet_nl_job_new_doit,
		.policy		= uet_job_new_nl_policy,
		.maxattr	= UET_A_JOB_INET_ONLY,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_JOB_DEL,
		.doit		= uet_nl_job_del_doit,
		.policy		= uet_job_del_nl_policy,
		.maxattr	= UET_A_JOB_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_JOB_GET,
		.doit		= uet_nl_job_get_doit,
		.dumpit		= uet_nl_job_get_dumpit,
		.policy		= uet_job_get_nl_policy,
		.maxattr	= UET_A_JOB_ID,
	},
	{
		.cmd		= UET_CMD_EP_GET,
		.doit		= uet_nl_ep_get_doit,
		.dumpit		= uet_nl_ep_get_dumpit,
		.policy		= uet_ep_get_nl_policy,
		.maxattr	= UET_A_EP_ABSOLUTE,
	},
	{
		.cmd		= UET_CMD_PDC_GET,
		.doit		= uet_nl_pdc_get_doit,
		.dumpit		= uet_nl_pdc_get_dumpit,
		.policy		= uet_pdc_get_nl_policy,
		.maxattr	= UET_A_PDC_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_STATS_GET,
		.doit		= uet_nl_stats_get_doit,
		.dumpit		= uet_nl_stats_get_dumpit,
		.policy		= uet_stats_get_nl_policy,
		.maxattr	= UET_A_STATS_NAME,
	},
	{
		.cmd		= UET_CMD_FEATURES_GET,
		.doit		= uet_nl_features_get_doit,
		.policy		= uet_features_get_nl_policy,
		.maxattr	= UET_A_FEATURES_CAPABILITY,
	},
	{
		.cmd		= UET_CMD_FEP_SET,
		.doit		= uet_nl_fep_set_doit,
		.policy		= uet_fep_set_nl_policy,
		.maxattr	= UET_A_FEP_JOB_ZERO,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_PING,
		.doit		= uet_nl_ping_doit,
		.policy		= uet_ping_nl_policy,
		.maxattr	= UET_A_PING_READ,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_RAIL_SET,
		.doit		= uet_nl_rail_set_doit,
		.policy		= uet_rail_set_nl_policy,
		.maxattr	= UET_A_RAIL_INGRESS,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_SD_NEW,
		.doit		= uet_nl_sd_new_doit,
		.policy		= uet_sd_new_nl_policy,
		.maxattr	= UET_A_SD_FAIL_LIMIT,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_SD_DEL,
		.doit		= uet_nl_sd_del_doit,
		.policy		= uet_sd_del_nl_policy,
		.maxattr	= UET_A_SD_NAME,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_SD_SET,
		.doit		= uet_nl_sd_set_doit,
		.policy		= uet_sd_set_nl_policy,
		.maxattr	= UET_A_SD_REVOKE,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_SD_GET,
		.doit		= uet_nl_sd_get_doit,
		.dumpit		= uet_nl_sd_get_dumpit,
		.policy		= uet_sd_get_nl_policy,
		.maxattr	= UET_A_SD_NAME,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_CCC_GET,
		.doit		= uet_nl_ccc_get_doit,
		.dumpit		= uet_nl_ccc_get_dumpit,
		.policy		= uet_ccc_get_nl_policy,
		.maxattr	= UET_A_CCC_PEER6,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_PDC_DEL,
		.doit		= uet_nl_pdc_del_doit,
		.policy		= uet_pdc_del_nl_policy,
		.maxattr	= UET_A_PDC_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_PDC_HISTORY_GET,
		.doit		= uet_nl_pdc_history_get_doit,
		.dumpit		= uet_nl_pdc_history_get_dumpit,
		.policy		= uet_pdc_history_get_nl_policy,
		.maxattr	= UET_A_PDC_ID,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= UET_CMD_FEP_TRAFFIC_GET,
		.doit		= uet_nl_fep_traffic_get_doit,
		.dumpit		= uet_nl_fep_traffic_get_dumpit,
		.policy		= uet_fep_traffic_get_nl_policy,
		.maxattr	= UET_A_TRAFFIC_FEP,
	},
	{
		.cmd		= UET_CMD_JOB_TRAFFIC_GET,
		.doit		= uet_nl_job_traffic_get_doit,
		.dumpit		= uet_nl_job_traffic_get_dumpit,
		.policy		= uet_job_traffic_get_nl_policy,
		.maxattr	= UET_A_TRAFFIC_JOB,
	},
	{
		.cmd		= UET_CMD_PEER_GET,
		.doit		= uet_nl_peer_get_doit,
		.dumpit		= uet_nl_peer_get_dumpit,
		.policy		= uet_peer_get_nl_policy,
		.maxattr	= UET_A_TRAFFIC_PEER6,
	},
};
