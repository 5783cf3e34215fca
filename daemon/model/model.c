// SPDX-License-Identifier: GPL-2.0
/*
 * Finding and comparing rails, domains, FEPs, jobs, netdevs and addresses.  Level: tool.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "core/wire/wire_codes.h"

/* Bytes around the payload of a full packet, as kernel/fabric/fep.c counts them. */
#define HEADERS_V4	84
#define HEADERS_V6	104
#define NATIVE_LESS	4
#define CRC_LEN		4
#define CREDIT_LEN	4
#define SD_LEN		32	/* 4 less without SSI, which only the kernel knows */

/**
 * uetd_grow() - make space for one more
 * @array: from here, or NULL
 * @nr: number of elements
 * @size: bytes of each
 *
 * The space doubles when @nr is a power of two, so that an array that grows is
 * rarely copied.  Without memory the daemon exits.  The kernel's configuration stays in
 * effect, and the service manager restarts the daemon.
 *
 * Return: the array, with space for @nr + 1; the last is zeroed.
 */
void *uetd_grow(void *array, size_t nr, size_t size)
{
	bool is_full = !array || !(nr & (nr - 1));
	char *grown = is_full ? reallocarray(array, nr ? 2 * nr : 1, size) :
				array;

	if (!grown) {
		fputs("uetd: out of memory\n", stderr);
		exit(1);
	}
	memset(grown + nr * size, 0, size);
	return grown;
}

/**
 * uetd_model_free() - free all of it
 * @model: emptied
 */
void uetd_model_free(struct uetd_model *model)
{
	free(model->rails);
	free(model->sds);
	free(model->feps);
	free(model->jobs);
	free(model->peers);
	memset(model, 0, sizeof(*model));
}

/**
 * uetd_rules_equal() - compare the rules of two domains
 * @a: rules
 * @b: other rules
 *
 * Return: true if so.
 */
bool uetd_rules_equal(const struct uetd_rules *a, const struct uetd_rules *b)
{
	return a->sdi == b->sdi && a->mode == b->mode &&
	       a->is_client == b->is_client && a->is_v6 == b->is_v6 &&
	       a->has_ssi == b->has_ssi && a->ssi == b->ssi &&
	       a->rekey_mask == b->rekey_mask &&
	       a->rekey_shift == b->rekey_shift &&
	       a->epoch_age == b->epoch_age &&
	       a->seal_limit == b->seal_limit &&
	       a->fail_limit == b->fail_limit;
}

/**
 * uetd_model_fep() - find a FEP
 * @model: where
 * @name: its name
 *
 * Return: the FEP or NULL.
 */
struct uetd_fep *uetd_model_fep(const struct uetd_model *model,
				const char *name)
{
	size_t i;

	for (i = 0; i < model->nr_feps; i++) {
		if (!strcmp(model->feps[i].name, name))
			return &model->feps[i];
	}
	return NULL;
}

/**
 * uetd_model_job() - find a job
 * @model: where
 * @id: its JobID
 *
 * Return: the job or NULL.
 */
struct uetd_job *uetd_model_job(const struct uetd_model *model, uint32_t id)
{
	size_t i;

	for (i = 0; i < model->nr_jobs; i++) {
		if (model->jobs[i].id == id)
			return &model->jobs[i];
	}
	return NULL;
}

/**
 * uetd_addr_equal() - are these the same?
 * @a: address
 * @b: address
 *
 * Return: true if so.
 */
bool uetd_addr_equal(const struct uetd_addr *a, const struct uetd_addr *b)
{
	return a->family == b->family &&
	       !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/**
 * uetd_addr_within() - check whether an address is in a network
 * @addr: address
 * @net: address of the network
 * @prefix: prefix length, bits, at most that of the family
 *
 * Return: true if so, and if they are of one family.
 */
bool uetd_addr_within(const struct uetd_addr *addr,
		      const struct uetd_addr *net, unsigned int prefix)
{
	unsigned int whole = prefix / 8, rest = prefix % 8;

	if (addr->family != net->family ||
	    memcmp(addr->bytes, net->bytes, whole))
		return false;
	return !rest ||
	       !((addr->bytes[whole] ^ net->bytes[whole]) >> (8 - rest));
}

/**
 * uetd_addr_is_link_local() - check whether an address is local to a netdev
 * @addr: address
 *
 * Return: true for those of IPv6, fe80::/10.
 */
bool uetd_addr_is_link_local(const struct uetd_addr *addr)
{
	return addr->family == AF_INET6 && addr->bytes[0] == 0xfe &&
	       (addr->bytes[1] & 0xc0) == 0x80;
}

/**
 * uetd_addr_text() - an address for people
 * @buf: filled in
 * @size: of @buf
 * @addr: address
 */
void uetd_addr_text(char *buf, size_t size, const struct uetd_addr *addr)
{
	if (!inet_ntop(addr->family, addr->bytes, buf, size))
		snprintf(buf, size, "?");
}

/**
 * uetd_fep_init() - initialise a FEP with defaults
 * @fep: filled in with the kernel's defaults
 */
void uetd_fep_init(struct uetd_fep *fep)
{
	unsigned int i;

	memset(fep, 0, sizeof(*fep));
	fep->mtu = UET_MTU_DEFAULT;
	fep->encap = UET_ENCAP_UDP;
	fep->port = UET_PORT_DEFAULT;
	fep->protect = UET_PROTECT_CRC;
	fep->needs_all = true;
	for (i = 0; i < UETD_DSCP_NR; i++)
		fep->dscp[i] = uetd_dscps[i].may_be_none ? UET_DSCP_NONE : 0;
	for (i = 0; i < UETD_CHOICE_NR; i++)
		fep->choice[i] = uetd_choices[i].usual;
	for (i = 0; i < UETD_P_NR; i++)
		fep->param[i] = uetd_param_default(i);
}

/**
 * uetd_fep_need_mtu() - MTU that a full packet needs
 * @fep: FEP
 *
 * Return: MTU that its netdevs must have, bytes.
 */
uint32_t uetd_fep_need_mtu(const struct uetd_fep *fep)
{
	uint32_t need = fep->mtu;

	need += fep->addr.family == AF_INET ? HEADERS_V4 : HEADERS_V6;
	if (fep->encap == UET_ENCAP_NATIVE)
		need -= NATIVE_LESS;
	if (fep->protect == UET_PROTECT_CRC)
		need += CRC_LEN;
	if (fep->protect == UET_PROTECT_TSS)
		need += SD_LEN;
	if (fep->choice[UETD_CC] == UET_CC_ALGO_RCCC ||
	    fep->choice[UETD_CC] == UET_CC_ALGO_NSCC_RCCC)
		need += CREDIT_LEN;
	return need;
}

/**
 * uetd_fep_has_ifindex() - is a netdev a rail of a FEP of the kernel?
 * @fep: FEP
 * @ifindex: of the netdev
 *
 * Return: true if so.
 */
bool uetd_fep_has_ifindex(const struct uetd_fep *fep, int ifindex)
{
	unsigned int i;

	for (i = 0; i < fep->nr_rails; i++) {
		if (fep->ifindex[i] == ifindex)
			return true;
	}
	return false;
}

/*
 * A rail whose MTU became too small may stay, but a new FEP does not get such a
 * rail.
 */
static bool fep_is_same_rails(const struct uetd_fep *wanted,
			      const struct uetd_fep *fep)
{
	unsigned int i, k;

	for (i = 0; i < wanted->nr_rails; i++) {
		if (!uetd_fep_has_ifindex(fep, wanted->ifindex[i]))
			return false;
	}
	for (i = 0; i < fep->nr_rails; i++) {
		for (k = 0; k < UET_FEP_RAILS_MAX; k++) {
			if (wanted->ifindex[k] == fep->ifindex[i])
				break;
		}
		if (k == UET_FEP_RAILS_MAX)
			return false;
	}
	return true;
}

/**
 * uetd_fep_is_same_fixed() - compare the properties that are fixed at creation
 * @wanted: FEP of a configuration on a host
 * @fep: FEP of the kernel, its rails in any order
 *
 * Return: true if so.
 */
bool uetd_fep_is_same_fixed(const struct uetd_fep *wanted,
			    const struct uetd_fep *fep)
{
	return uetd_addr_equal(&wanted->addr, &fep->addr) &&
	       wanted->scope_id == fep->scope_id && wanted->mtu == fep->mtu &&
	       wanted->encap == fep->encap && wanted->port == fep->port &&
	       wanted->proto == fep->proto &&
	       wanted->protect == fep->protect &&
	       !strcmp(wanted->sd, fep->sd) &&
	       fep_is_same_rails(wanted, fep);
}

/**
 * uetd_fep_is_same_settings() - compare the properties that can be set
 * @a: FEP
 * @b: FEP
 *
 * Return: true if so.
 */
bool uetd_fep_is_same_settings(const struct uetd_fep *a,
			       const struct uetd_fep *b)
{
	return !memcmp(a->choice, b->choice, sizeof(a->choice)) &&
	       !memcmp(a->dscp, b->dscp, sizeof(a->dscp)) &&
	       !memcmp(a->param, b->param, sizeof(a->param));
}

/**
 * uetd_job_has_fep() - check whether endpoints of a job may be on a FEP
 * @job: job
 * @name: of the FEP
 *
 * Return: true if so.
 */
bool uetd_job_has_fep(const struct uetd_job *job, const char *name)
{
	unsigned int i;

	for (i = 0; i < job->nr_feps; i++) {
		if (!strcmp(job->fep[i], name))
			return true;
	}
	return false;
}

/**
 * uetd_job_is_same() - compare two jobs, apart from their use
 * @a: job
 * @b: job, its FEPs in any order
 *
 * Return: true if so.
 */
bool uetd_job_is_same(const struct uetd_job *a, const struct uetd_job *b)
{
	unsigned int i;

	for (i = 0; i < a->nr_feps; i++) {
		if (!uetd_job_has_fep(b, a->fep[i]))
			return false;
	}
	return a->nr_feps == b->nr_feps && a->id == b->id &&
	       !strcmp(a->name, b->name) && a->uid == b->uid &&
	       a->gid == b->gid && a->pid_min == b->pid_min &&
	       a->pid_max == b->pid_max && a->is_inet_only == b->is_inet_only;
}

/**
 * uetd_links_free() - free all of it
 * @links: emptied
 */
void uetd_links_free(struct uetd_links *links)
{
	free(links->links);
	free(links->addrs);
	memset(links, 0, sizeof(*links));
}
