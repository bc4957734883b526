"""The frame of a job and of a run.

frame        every job's log, threads and errors, and the function that it calls
closing      the last lines of a run
lock         one run at a time in a folder
secrets      passwords and tokens, removed from what is published
directional  characters that turn their neighbours around, shown as escapes
outputs      result files
user_cache   the folder of what is kept for all projects of a user
fingerprint  hashes of code
versions     versions of jobs' results, locked with the hashes of their code
compare      two files, value by value
verify       the smoke scale made by two commits, compared; the lock follows
metadata     what Snakemake knows of a file that it made
commit       the git commit of the code
made_by      which code made a file
records      both, published with the files
"""
