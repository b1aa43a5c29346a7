/* Notes at the end of a recording: losses, throttling, truncated call chains. */
#ifndef PIPA_JOB_RECORD_SUMMARY_H
#define PIPA_JOB_RECORD_SUMMARY_H

struct pipa_record_job;

/* Report what was lost or throttled, and why call chains are truncated; after pipa_record_finish(). */
void pipa_record_summarize(const struct pipa_record_job *job);

#endif
