// SPDX-License-Identifier: GPL-2.0
/*
 * Domains: memory regions that several sockets share, pinned and counted once, behind a
 * descriptor. A socket that joins finds the regions of the domain by their keys, and
 * registers and deregisters regions there. The regions end with the last socket and the
 * last descriptor.
 *
 * Lifetime: a file, and each socket until close(), use the domain; the last user
 * deregisters the regions. Memory of single operations may be found a little longer, so
 * each socket keeps the structure until it is freed.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uet.h>
#include <net/sock.h>

#include "domain.h"
#include "ep.h"
#include "mr_space.h"

/**
 * struct uet_domain - a domain
 * @space: its regions
 * @users: files, and sockets that are not closed
 * @refs: one of the users, one of each socket until it is freed
 */
struct uet_domain {
	struct uet_mr_space space;
	refcount_t users;
	refcount_t refs;
};

/**
 * uet_domain_put() - drop a reference
 * @domain: domain, or NULL
 */
void uet_domain_put(struct uet_domain *domain)
{
	if (domain && refcount_dec_and_test(&domain->refs))
		kfree(domain);
}

/* Context: process, sleeps. */
static void domain_unuse(struct uet_domain *domain)
{
	if (!refcount_dec_and_test(&domain->users))
		return;
	uet_mr_space_purge(&domain->space);
	uet_domain_put(domain);
}

static int domain_release(struct inode *inode, struct file *file)
{
	domain_unuse(file->private_data);
	return 0;
}

static const struct file_operations domain_fops = {
	.owner = THIS_MODULE,
	.release = domain_release,
	.llseek = noop_llseek,
};

/**
 * uet_domain_fd_make() - make a domain, and open a descriptor of it
 * @is_cloexec: execve() closes the descriptor
 *
 * Context: Process, sleeps.
 * Return: the descriptor; -EMFILE, -ENFILE; -ENOMEM.
 */
int uet_domain_fd_make(bool is_cloexec)
{
	struct uet_domain *domain = kzalloc(sizeof(*domain), GFP_KERNEL_ACCOUNT);
	int fd;

	if (!domain)
		return -ENOMEM;
	uet_mr_space_init(&domain->space);
	refcount_set(&domain->users, 1);
	refcount_set(&domain->refs, 1);
	fd = anon_inode_getfd("[uet-domain]", &domain_fops, domain,
			      O_RDWR | (is_cloexec ? O_CLOEXEC : 0));
	if (fd < 0)
		kfree(domain);
	return fd;
}

/*
 * Return: the domain of a descriptor, used and referenced, or an ERR_PTR(). Threads that
 * join at the same time may exceed the limit by their number.
 */
static struct uet_domain *domain_get(int fd)
{
	struct uet_domain *domain = ERR_PTR(-EINVAL);
	struct file *file = fget(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (file->f_op == &domain_fops)
		domain = file->private_data;
	/* The file is a user, too. */
	if (!IS_ERR(domain) && refcount_read(&domain->users) > UET_DOMAIN_LIMIT)
		domain = ERR_PTR(-EUSERS);
	if (!IS_ERR(domain)) {
		refcount_inc(&domain->users);
		refcount_inc(&domain->refs);
	}
	fput(file);
	return domain;
}

/**
 * uet_domain_leave() - end the regions of a socket, or its use of those of a domain
 * @us: closed socket that no peer finds any more, after uet_mr_space_leave()
 *
 * Context: Process, sleeps.
 */
void uet_domain_leave(struct uet_sock *us)
{
	if (us->domain)
		domain_unuse(us->domain);
	else
		uet_mr_space_purge(&us->own_space);
}

/**
 * uet_domain_join() - UET_DOMAIN_FD: share the regions of a domain
 * @us: socket
 * @fd: descriptor of a domain; -1: the socket gets a domain of its own
 *
 * Context: Process, sleeps.
 * Return: 0; -EBADF; -EINVAL: no descriptor of a domain, or the socket is bound;
 *	-EUSERS: UET_DOMAIN_LIMIT.
 */
int uet_domain_join(struct uet_sock *us, int fd)
{
	struct uet_domain *domain = NULL;
	int err = 0;

	if (fd != -1)
		domain = domain_get(fd);
	if (domain == ERR_PTR(-EUSERS))
		return uet_sock_refuse(us, -EUSERS, "setsockopt: UET_DOMAIN_FD: the domain has %d sockets",
				       UET_DOMAIN_LIMIT);
	if (IS_ERR(domain))
		return uet_sock_refuse(us, PTR_ERR(domain), "setsockopt: UET_DOMAIN_FD: %d is no descriptor of a domain",
				       fd);
	lock_sock(&us->sk);
	if (uet_sock_is_bound(us)) {
		err = -EINVAL;
	} else {
		uet_mr_space_leave(us);
		uet_mr_space_join(domain ? &domain->space : &us->own_space, us);
		swap(us->domain, domain);
	}
	release_sock(&us->sk);
	/* Either the unused new domain or the replaced one. */
	if (domain) {
		domain_unuse(domain);
		uet_domain_put(domain);
	}
	if (err)
		uet_sock_refuse(us, err, "setsockopt: UET_DOMAIN_FD cannot change once the socket is bound");
	return err;
}
