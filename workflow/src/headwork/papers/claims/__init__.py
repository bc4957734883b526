"""Claims of studies, and how they are judged.

judging    claims of a study, tested on the tidy tables: published value, ours with its interval and n, and a
           verdict
selection  what a claim's test looks at, the rows of the runs it is about, and what it answers
evidence   the tables that a study's claims are tested on, read from the files of the phases before
intervals  intervals of estimated shares: Wilson's for one share, a bootstrap for what is computed from several; of
           rank correlations; of means; of seeds; and by the jackknife
verdicts   the claims and their verdicts: drawn as one table for the report, and as metrics
"""
