"""Claims of studies, and their evaluation.

judging    claims of a study, tested on the tidy tables: published value, ours with its interval and n, and a
           verdict
selection  the rows of the runs that a claim is about, and the outcome of its test
evidence   the tables that a study's claims are tested on, read from the files of the phases before
intervals  intervals of estimated shares: Wilson's for one share, a bootstrap for what is computed from several; of
           rank correlations; of means; of seeds; and by the jackknife
verdicts   the claims and their verdicts: drawn as one table for the report, and as metrics
"""
