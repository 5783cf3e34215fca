// SPDX-License-Identifier: GPL-2.0
/*
 * Consistency of the objects of a configuration: referenced names exist,
 * addresses and netdevs are used once, rails of a FEP are on different planes,
 * settings are in order.  Every configuration that the kernel would refuse on
 * any host is refused here.  Level: tool.
 */
#include <netinet/in.h>
#include <string.h>

#include "conf.h"
#include "model/index.h"

/* IP protocols that the kernel refuses for a FEP, as in kernel/carrier/native.c. */
static const uint8_t reserved_protos[] = {
	IPPROTO_ICMP, IPPROTO_IGMP, IPPROTO_IPIP, IPPROTO_TCP, IPPROTO_EGP,
	IPPROTO_PUP, IPPROTO_UDP, IPPROTO_IDP, IPPROTO_TP, IPPROTO_DCCP,
	IPPROTO_IPV6, IPPROTO_ROUTING, IPPROTO_FRAGMENT, IPPROTO_RSVP,
	IPPROTO_GRE, IPPROTO_ESP, IPPROTO_AH, IPPROTO_ICMPV6, IPPROTO_NONE,
	IPPROTO_DSTOPTS, 88 /* EIGRP */, 89 /* OSPF */, IPPROTO_MTP,
	IPPROTO_BEETPH, IPPROTO_ENCAP, IPPROTO_PIM, IPPROTO_COMP,
	112 /* VRRP */, 115 /* L2TP */, 124 /* IS-IS */, IPPROTO_SCTP,
	IPPROTO_MH, IPPROTO_UDPLITE, IPPROTO_MPLS, 139 /* HIP */,
	140 /* Shim6 */, 143 /* Ethernet */,
};

/* Order of rails by what identifies their netdevs. */
static int order_matches(const void *a, const void *b)
{
	const struct uetd_rail *x = a, *y = b;

	if (x->match != y->match)
		return (int)x->match - (int)y->match;
	switch (x->match) {
	case UETD_MATCH_NAME:
		return strcmp(x->dev, y->dev);
	case UETD_MATCH_MAC:
		return memcmp(x->mac, y->mac, sizeof(x->mac));
	default:
		return x->prefix != y->prefix ?
		       (int)x->prefix - (int)y->prefix :
		       uetd_index_addr(&x->addr, &y->addr);
	}
}

static void check_rails(const struct uetd_model *model, struct uetd_diag *diag)
{
	static const char *const keys[] = { "interface", "mac", "address" };
	struct uetd_index matches = { .order = order_matches };
	const struct uetd_rail *rail, *first;
	size_t i;

	for (i = 0; i < model->nr_rails; i++) {
		rail = &model->rails[i];
		first = uetd_index_add(&matches, rail);
		if (first != rail)
			uetd_conf_error(diag, rail->section, keys[rail->match],
					"is that of [rail %s]", first->name);
	}
	uetd_index_free(&matches);
}

/* Look up the rails of a FEP by name; NULL for a rail that does not exist. */
static void check_fep_rails(const struct uetd_lookup *lookup,
			    const struct uetd_fep *fep,
			    struct uetd_diag *diag)
{
	const struct uetd_rail *rails[UET_FEP_RAILS_MAX];
	unsigned int i, k;

	for (i = 0; i < fep->nr_rails; i++) {
		rails[i] = uetd_index_find(&lookup->rails, fep->rail[i]);
		if (!rails[i])
			uetd_conf_error(diag, fep->section, "rails",
					"there is no [rail %s]", fep->rail[i]);
		for (k = 0; rails[i] && k < i; k++) {
			if (rails[k] == rails[i])
				uetd_conf_error(diag, fep->section, "rails",
						"%s is there twice",
						fep->rail[i]);
			else if (rails[k] && rails[k]->plane == rails[i]->plane)
				uetd_conf_error(diag, fep->section, "rails",
						"must be on different planes, %s and %s are on plane %u",
						fep->rail[k], fep->rail[i],
						rails[i]->plane);
		}
	}
	if (uetd_addr_is_link_local(&fep->addr) && fep->nr_rails > 1)
		uetd_conf_error(diag, fep->section, "addr",
				"is link-local: there can be one rail only");
}

static void check_fep_encap(const struct uetd_fep *fep,
			    struct uetd_diag *diag)
{
	const char *key = fep->encap == UET_ENCAP_NATIVE ? "port" : "proto";
	size_t i;

	if (uetd_raw_entry(fep->section, key))
		uetd_conf_error(diag, fep->section, key,
				"is for encap = %s only",
				fep->encap == UET_ENCAP_NATIVE ? "udp" : "native");
	if (fep->encap != UET_ENCAP_NATIVE)
		return;
	for (i = 0; i < sizeof(reserved_protos); i++) {
		if (fep->proto == reserved_protos[i])
			uetd_conf_error(diag, fep->section, "proto",
					"%u is the number of another protocol",
					fep->proto);
	}
}

static bool is_whole_dscp(const struct uetd_fep *fep, uint8_t dscp)
{
	return dscp == fep->dscp[UETD_DSCP_REQUEST] ||
	       dscp == fep->dscp[UETD_DSCP_RETX] ||
	       dscp == fep->dscp[UETD_DSCP_CONTROL];
}

static void check_fep_settings(const struct uetd_fep *fep,
			       struct uetd_diag *diag)
{
	const char *wrong = uetd_param_order(fep->param);
	unsigned int i;

	if (wrong)
		uetd_conf_error(diag, fep->section, NULL, "%s", wrong);
	for (i = UETD_DSCP_TRIMMED; i < UETD_DSCP_NR; i++) {
		if (is_whole_dscp(fep, fep->dscp[i]))
			uetd_conf_error(diag, fep->section, uetd_dscps[i].word,
					"must differ from dscp-request, dscp-retx and dscp-control, %u does not",
					fep->dscp[i]);
	}
	if (fep->dscp[UETD_DSCP_TRIMMED] != UET_DSCP_NONE &&
	    fep->dscp[UETD_DSCP_TRIMMED] ==
	    fep->dscp[UETD_DSCP_TRIMMED_LASTHOP])
		uetd_conf_error(diag, fep->section, "dscp-trimmed-lasthop",
				"must differ from dscp-trimmed");
}

static void check_fep(const struct uetd_lookup *lookup,
		      struct uetd_index *addrs, const struct uetd_fep *fep,
		      struct uetd_diag *diag)
{
	const struct uetd_fep *first;

	check_fep_rails(lookup, fep, diag);
	check_fep_encap(fep, diag);
	check_fep_settings(fep, diag);
	uetd_conf_check_sd(lookup, fep, diag);
	/* The same link-local address may be on several netdevs. */
	if (!fep->addr.family || uetd_addr_is_link_local(&fep->addr))
		return;
	first = uetd_index_add(addrs, fep);
	if (first != fep)
		uetd_conf_error(diag, fep->section, "addr",
				"is that of [fep %s]", first->name);
}

static void check_feps(const struct uetd_model *model,
		       const struct uetd_lookup *lookup,
		       struct uetd_diag *diag)
{
	struct uetd_index addrs = UETD_INDEX(struct uetd_fep, addr,
					     uetd_index_addr);
	size_t i;

	for (i = 0; i < model->nr_feps; i++)
		check_fep(lookup, &addrs, &model->feps[i], diag);
	uetd_index_free(&addrs);
}

static void check_job(const struct uetd_lookup *lookup,
		      const struct uetd_job *job, struct uetd_diag *diag)
{
	unsigned int i, k;

	/* [job 7] and [job 07] are two sections of one JobID. */
	if (uetd_index_find(&lookup->jobs, &job->id) != job)
		uetd_conf_error(diag, job->section, NULL,
				"another section has this JobID");
	for (i = 0; i < job->nr_feps; i++) {
		if (!uetd_index_find(&lookup->feps, job->fep[i]))
			uetd_conf_error(diag, job->section, "feps",
					"there is no [fep %s]", job->fep[i]);
		for (k = 0; k < i; k++) {
			if (!strcmp(job->fep[k], job->fep[i]))
				uetd_conf_error(diag, job->section, "feps",
						"%s is there twice", job->fep[i]);
		}
	}
}

/**
 * uetd_conf_check() - check that the objects are consistent
 * @conf: configuration; malformed objects were reported before
 * @diag: receives errors
 */
void uetd_conf_check(const struct uetd_conf *conf, struct uetd_diag *diag)
{
	const struct uetd_model *model = &conf->model;
	struct uetd_lookup lookup;
	size_t i;

	uetd_lookup_make(&lookup, model);
	check_rails(model, diag);
	uetd_conf_check_sds(model, diag);
	check_feps(model, &lookup, diag);
	for (i = 0; i < model->nr_jobs; i++)
		check_job(&lookup, &model->jobs[i], diag);
	uetd_conf_check_peers(model, &lookup, diag);
	uetd_lookup_free(&lookup);
}
