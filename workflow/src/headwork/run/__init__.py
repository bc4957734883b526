"""The frame of a job and of a run.

frame        every job's log, threads and errors, and the function that it calls
closing      the last lines of a run
lock         one run at a time in a folder
secrets      passwords and tokens, removed from what is published
directional  characters that turn their neighbours around, shown as escapes
outputs      result files
user_cache   the folder of what is kept for all projects of a user
fingerprint  hashes of code
records      what Snakemake knows of a file that it made, published with the file
"""
