/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asking polkit whether who has sent a message may have done what it asks for.
 * The answer may take as long as a person needs to type a password; uetd goes on
 * in the meantime.  Level: tool.
 */
#ifndef UETD_POLKIT_H
#define UETD_POLKIT_H

#include <systemd/sd-bus.h>

/**
 * typedef uetd_polkit_done_t - who has asked polkit is told here
 * @call: the message that was asked about
 * @data: as given
 * @error: why its sender may not; not set: it may
 *
 * Return: as a message handler; an error is sent to the sender.
 */
typedef int (*uetd_polkit_done_t)(sd_bus_message *call, void *data,
				  sd_bus_error *error);

int uetd_polkit_ask(sd_bus_message *call, const char *action,
		    uetd_polkit_done_t done, void *data);

#endif
