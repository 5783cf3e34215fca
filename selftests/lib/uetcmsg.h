/* SPDX-License-Identifier: GPL-2.0 */
/* Control messages of AF_UET, for tests without uetrma.h.  Level: test. */
#ifndef UET_SELFTESTS_UETCMSG_H
#define UET_SELFTESTS_UETCMSG_H

#include <string.h>
#include <sys/socket.h>

#include <linux/uet.h>

/* Add one behind those that msg_controllen covers; there is space for it. */
static inline void add_cmsg(struct msghdr *msg, int type, const void *data, size_t len)
{
	struct cmsghdr *cmsg = (void *)((char *)msg->msg_control + msg->msg_controllen);

	cmsg->cmsg_len = CMSG_LEN(len);
	cmsg->cmsg_level = SOL_UET;
	cmsg->cmsg_type = type;
	memcpy(CMSG_DATA(cmsg), data, len);
	msg->msg_controllen += CMSG_SPACE(len);
}

#endif
