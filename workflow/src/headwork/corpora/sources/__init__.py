"""Where text comes from: the data folder, the net, archives, and the formats it has.

streams           where a corpus comes from: its description in the config becomes streams of pairs
local             which files a `local` source means: files, a folder of files, or stems and patterns of names
locations         where files lie: the data folder, the miniature world and its tasks, and what was fetched
download          downloads that can be trusted: resumed where they broke off, checked by size and SHA-256, never
                  half-written
archives          one file out of an archive that somebody else made, and that may be damaged or hostile
hashes            SHA-256 of files: what a download must have, and what a run's provenance (run.json) records of its
                  data
readers           text files to segments: plain or compressed text, CoNLL-U, tab-separated tables
pairs             pairs of segments from line-aligned files, tables and WMT sets, each with its file and line
devsets           development and test sets of the WMT shared tasks: SGML (one side a file) and XML (both sides in
                  one)
subtitle_overlap  pairs of subtitles that are on the screen at the same time
"""
