"""What the rules read: settings and run sheets in, paths that begin with <results> out.

scale       a scale: its settings, its runs by kind, its studies
texts       files of corpora, texts and tasks: of the miniature world, of the data folder, or fetched
annotated   files of trees, word alignments, senses and labels that analyses of runs read
trained     files that trainings and measurements of models read
studied     files of a study's items and claims, and their runs
asked       files of an atlas: of the model and the text that a command names
"""
