/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queries to polkit whether the sender of a message may do the requested
 * action.  The answer may take as long as a person needs to type a password;
 * uetd continues in the meantime.  Level: tool.
 */
#ifndef UETD_POLKIT_H
#define UETD_POLKIT_H

#include <systemd/sd-bus.h>

/**
 * typedef uetd_polkit_done_t - callback with polkit's answer
 * @call: the message to be authorised
 * @data: as given
 * @error: reason of a denial; not set: authorised
 *
 * Return: as a message handler; an error is sent to the sender.
 */
typedef int (*uetd_polkit_done_t)(sd_bus_message *call, void *data,
				  sd_bus_error *error);

int uetd_polkit_ask(sd_bus_message *call, const char *action,
		    uetd_polkit_done_t done, void *data);

#endif
