"""Sources of text: the data folder, downloads, archives, and their formats.

streams           streams of pairs from the sources in a corpus's description
local             the files of a `local` source: files, a folder of files, or stems and patterns of names
locations         locations of files: data folder, miniature world, tasks and downloads
download          downloads, resumed after interruptions and checked by size and SHA-256
archives          extraction of single files from untrusted archives
hashes            SHA-256 of files, for downloads and for the provenance in run.json
readers           text files to segments: plain or compressed text, CoNLL-U, tab-separated tables
pairs             pairs of segments from line-aligned files, tables and WMT sets, each with its file and line
devsets           development and test sets of the WMT shared tasks: SGML (one side a file) and XML (both sides in
                  one)
subtitle_overlap  pairs of subtitles with overlapping times
"""
