/* Texts that describe this machine in a result. */
#ifndef PIPA_JOB_REMOTE_MACHINE_H
#define PIPA_JOB_REMOTE_MACHINE_H

struct pipa_root;

/* NULL: unknown. */
struct pipa_machine_texts {
	char *hw_info; /* sockets*cores*SMT: "2*32*2", cores of each socket, threads of each core */
	char *platform; /* model of the CPU, else the machine of uname(2) */
};

/* Read them; a text that cannot be read is NULL. 0 or -ENOMEM. */
int pipa_machine_texts_read(struct pipa_root *root, struct pipa_machine_texts *ret);
void pipa_machine_texts_done(struct pipa_machine_texts *texts);

static inline void pipa_machine_texts_done_auto(struct pipa_machine_texts *texts)
{
	pipa_machine_texts_done(texts);
}

#endif
