"""Selection of English sentences that a model is to translate.

select     sentences of running text and of lists, parted by document, none of them of a test set
test_sets  the sentences of test sets in any of the formats in which they are published
"""
