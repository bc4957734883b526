"""The head atlas: what each attention head of any model does on a text, in Python and as one HTML page.

texts      the text: lines, sentence pairs, parsed sentences or labelled examples, sampled
reading    the text as a model reads it: batches, with what the model cannot read left out
subject    what the model predicts on it, for measures of importance
measures   all measures: a value for each head, and a baseline
relations  names of dependency relations in plain words
functions  functions of heads in plain words, from the measures
maps       attention maps of a few sentences for every head
atlas      the atlas of a model as an object
page       its HTML page
job        from a request to the page: what `headwork atlas` and the rule `atlas` call
"""
