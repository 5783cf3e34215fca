// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Address vectors: addresses of peers by index.  Each endpoint that uses the vector gives
 * the peers numbers of its socket.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint.h"
#include "object.h"

static struct lf_av *to_av(struct fid_av *fid)
{
	return lf_container(fid, struct lf_av, fid);
}

/* A free index; those that were removed are used again.  Return: 0 or -FI_ENOMEM. */
static int find_index(struct lf_av *av, size_t *index)
{
	size_t space = av->space ? av->space * 2 : 64, i;
	struct lf_name *names;

	for (i = av->count; i < av->space; i++)
		if (!av->names[i].version)
			break;
	if (i == av->space) {
		names = realloc(av->names, space * sizeof(*names));
		if (!names)
			return -FI_ENOMEM;
		memset(names + av->space, 0, (space - av->space) * sizeof(*names));
		av->names = names;
		av->space = space;
	}
	*index = i;
	av->count = i + 1;
	return 0;
}

/* Let each endpoint number the peer. */
static int add_to_eps(struct lf_av *av, size_t index, const struct lf_name *name)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < av->eps.count && !ret; i++)
		ret = lf_ep_add_peer(av->eps.list[i], index, name);
	return ret;
}

static void forget(struct lf_av *av, size_t index)
{
	unsigned int i;

	for (i = 0; i < av->eps.count; i++)
		lf_ep_del_peer(av->eps.list[i], index);
	memset(&av->names[index], 0, sizeof(av->names[index]));
}

static int insert_name(struct lf_av *av, const struct lf_name *name, fi_addr_t *addr)
{
	size_t index;
	int ret;

	ret = find_index(av, &index);
	if (ret)
		return ret;
	ret = add_to_eps(av, index, name);
	if (ret) {
		forget(av, index);
		return ret;
	}
	av->names[index] = *name;
	*addr = index;
	return 0;
}

/* An address that is none: an error event has its index. */
static void report_bad(struct lf_av *av, size_t i, int error, void *context)
{
	const struct fi_eq_err_entry entry = {
		.fid = &av->fid.fid, .context = context, .data = i, .err = error,
	};

	LF_WARN(AV, "address %zu: %s\n", i, fi_strerror(error));
	if (av->is_async && av->eq)
		lf_eq_fail(av->eq, &entry, fi_strerror(error));
}

/* The end of an insertion: an event, or the number of addresses. */
static int report(struct lf_av *av, int inserted, void *context)
{
	struct fi_eq_entry entry = {
		.fid = &av->fid.fid, .context = context, .data = (uint64_t)inserted,
	};
	ssize_t ret;

	if (!av->is_async)
		return inserted;
	if (!av->eq)
		return -FI_ENOEQ;
	ret = fi_eq_write(av->eq, FI_AV_COMPLETE, &entry, sizeof(entry), 0);
	return ret < 0 ? (int)ret : 0;
}

/* Addresses that are none have FI_ADDR_NOTAVAIL. */
static int av_insert(struct fid_av *fid, const void *addr, size_t count, fi_addr_t *addrs,
		     uint64_t flags, void *context)
{
	struct lf_av *av = to_av(fid);
	const char *bytes = addr;
	struct lf_name name;
	fi_addr_t found;
	int inserted = 0, ret;
	size_t i;

	if (flags & ~(FI_MORE | FI_SYNC_ERR) || (!addr && count))
		return -FI_EINVAL;
	pthread_mutex_lock(&av->eps.lock);
	for (i = 0; i < count; i++) {
		found = FI_ADDR_NOTAVAIL;
		ret = lf_name_unpack(&name, av->domain->format, bytes, &av->domain->place);
		if (!ret)
			ret = insert_name(av, &name, &found);
		if (ret)
			report_bad(av, i, -ret, context);
		else
			inserted++;
		if (flags & FI_SYNC_ERR && context)
			((int *)context)[i] = -ret;
		if (addrs)
			addrs[i] = found;
		bytes += lf_name_size(av->domain->format);
	}
	pthread_mutex_unlock(&av->eps.lock);
	return report(av, inserted, context);
}

static int insert_service(struct lf_av *av, const char *node, const char *service,
			  fi_addr_t *addr)
{
	const struct lf_place *place = &av->domain->place;
	struct lf_name name;
	int ret;

	lf_name_of_place(&name, place);
	ret = lf_name_resolve(&name, node, service, lf_place_pid(place));
	if (ret)
		return ret;
	pthread_mutex_lock(&av->eps.lock);
	ret = insert_name(av, &name, addr);
	pthread_mutex_unlock(&av->eps.lock);
	return ret;
}

static int av_insertsvc(struct fid_av *fid, const char *node, const char *service,
			fi_addr_t *addr, uint64_t flags, void *context)
{
	fi_addr_t found = FI_ADDR_NOTAVAIL;
	struct lf_av *av = to_av(fid);
	int ret;

	if (!node || !service || flags)
		return -FI_EINVAL;
	ret = insert_service(av, node, service, &found);
	if (addr)
		*addr = found;
	return report(av, !ret, context);
}

/* The @n-th address after one; bytes in network order. */
static void add_to_addr(uint8_t *bytes, size_t length, size_t n)
{
	while (n && length--) {
		n += bytes[length];
		bytes[length] = (uint8_t)n;
		n >>= 8;
	}
}

/*
 * The n-th host after one.  10.0.0.7 and 2 give 10.0.0.9, fd00::9 and 1 give fd00::a, node07
 * and 3 give node10.
 */
static void next_node(char *text, size_t size, const char *node, size_t n)
{
	size_t length = strlen(node), digits = 0;
	uint8_t bytes[16];

	if (!n) {
		snprintf(text, size, "%s", node);
		return;
	}
	if (inet_pton(AF_INET, node, bytes) == 1) {
		add_to_addr(bytes, 4, n);
		inet_ntop(AF_INET, bytes, text, (socklen_t)size);
		return;
	}
	if (inet_pton(AF_INET6, node, bytes) == 1) {
		add_to_addr(bytes, 16, n);
		inet_ntop(AF_INET6, bytes, text, (socklen_t)size);
		return;
	}
	while (digits < length && node[length - digits - 1] >= '0' &&
	       node[length - digits - 1] <= '9')
		digits++;
	snprintf(text, size, "%.*s%0*lu", (int)(length - digits), node, (int)digits,
		 strtoul(node + length - digits, NULL, 10) + n);
}

static int av_insertsym(struct fid_av *fid, const char *node, size_t nodes,
			const char *service, size_t services, fi_addr_t *addrs,
			uint64_t flags, void *context)
{
	struct lf_av *av = to_av(fid);
	size_t count = nodes * services, i;
	char name[256], number[24];
	long first = 0;
	fi_addr_t found;
	int inserted = 0;
	bool is_number;

	if (!node || !service || flags)
		return -FI_EINVAL;
	is_number = !lf_name_service(service, &first);
	for (i = 0; i < count; i++) {
		found = FI_ADDR_NOTAVAIL;
		next_node(name, sizeof(name), node, i / services);
		snprintf(number, sizeof(number), "%lu", (size_t)first + i % services);
		if (is_number && !insert_service(av, name, number, &found))
			inserted++;
		if (addrs)
			addrs[i] = found;
	}
	return report(av, inserted, context);
}

static int av_remove(struct fid_av *fid, fi_addr_t *addrs, size_t count, uint64_t flags)
{
	struct lf_av *av = to_av(fid);
	int ret = 0;
	size_t i;

	pthread_mutex_lock(&av->eps.lock);
	for (i = 0; i < count; i++) {
		if (addrs[i] >= av->space || !av->names[addrs[i]].version) {
			ret = -FI_EINVAL;
			continue;
		}
		forget(av, addrs[i]);
		if (addrs[i] < av->count)
			av->count = addrs[i];
	}
	pthread_mutex_unlock(&av->eps.lock);
	return ret;
}

static int av_lookup(struct fid_av *fid, fi_addr_t addr, void *bytes, size_t *length)
{
	struct lf_av *av = to_av(fid);
	char packed[sizeof(struct lf_name)];
	size_t size = lf_name_size(av->domain->format);
	int ret = -FI_EINVAL;

	pthread_mutex_lock(&av->eps.lock);
	if (addr < av->space && av->names[addr].version) {
		lf_name_pack(&av->names[addr], av->domain->format, packed);
		memcpy(bytes, packed, *length < size ? *length : size);
		ret = *length < size ? -FI_ETOOSMALL : 0;
		*length = size;
	}
	pthread_mutex_unlock(&av->eps.lock);
	return ret;
}

static const char *av_straddr(struct fid_av *fid, const void *addr, char *buf, size_t *length)
{
	struct lf_av *av = to_av(fid);
	char text[LF_NAME_TEXT] = "?";
	struct lf_name name;

	if (!lf_name_unpack(&name, av->domain->format, addr, &av->domain->place))
		lf_name_print(&name, text);
	if (*length)
		snprintf(buf, *length, "%s", text);
	*length = strlen(text) + 1;
	return buf;
}

static int av_close(struct fid *fid)
{
	struct lf_av *av = lf_container(fid, struct lf_av, fid.fid);

	if (atomic_load(&av->binds))
		return -FI_EBUSY;
	atomic_fetch_sub(&av->domain->refs, 1);
	lf_eq_bind(&av->eq, NULL);
	lf_eps_fini(&av->eps);
	free(av->names);
	free(av);
	return 0;
}

static int av_bind(struct fid *fid, struct fid *eq, uint64_t flags)
{
	if (eq->fclass != FI_CLASS_EQ)
		return -FI_EINVAL;
	lf_eq_bind(&lf_container(fid, struct lf_av, fid.fid)->eq,
		   lf_container(eq, struct fid_eq, fid));
	return 0;
}

static struct fi_ops av_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = av_close,
	.bind = av_bind,
	.control = lf_no_control,
	.ops_open = lf_no_ops_open,
};

static struct fi_ops_av av_ops = {
	.size = sizeof(struct fi_ops_av),
	.insert = av_insert,
	.insertsvc = av_insertsvc,
	.insertsym = av_insertsym,
	.remove = av_remove,
	.lookup = av_lookup,
	.straddr = av_straddr,
};

int lf_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av,
	       void *context)
{
	struct lf_av *new;

	if (attr->name || attr->flags & ~FI_EVENT || attr->rx_ctx_bits) {
		LF_WARN(AV, "address vectors are not shared, and endpoints have one context\n");
		return -FI_ENOSYS;
	}
	new = calloc(1, sizeof(*new));
	if (!new)
		return -FI_ENOMEM;
	new->fid.fid.fclass = FI_CLASS_AV;
	new->fid.fid.context = context;
	new->fid.fid.ops = &av_fid_ops;
	new->fid.ops = &av_ops;
	new->domain = lf_container(domain, struct lf_domain, fid);
	new->is_async = attr->flags & FI_EVENT;
	lf_eps_init(&new->eps);
	if (attr->type == FI_AV_UNSPEC)
		attr->type = FI_AV_TABLE;
	atomic_fetch_add(&new->domain->refs, 1);
	*av = &new->fid;
	return 0;
}

int lf_av_each(struct lf_av *av, struct lf_ep *ep)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < av->space && !ret; i++)
		if (av->names[i].version)
			ret = lf_ep_add_peer(ep, i, &av->names[i]);
	return ret;
}
