"""English words that say little of what a text is about."""

# Articles, pronouns, prepositions, conjunctions, auxiliary verbs and their contracted forms, as the
# rule "words" cuts them ("it 's"). What negates (no, not, n't, never, nothing, without) is missing
# on purpose: with n-grams, "not good" would become "good".
ENGLISH = frozenset(
    """
    a an the
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    one ones who whom whose which what whatever whichever whoever this that these those such same
    there here where when why how whether
    each every either both all any some another other others
    somebody someone something anybody anyone anything everybody everyone everything
    and or but if then else than as so because since while although though unless until
    of in on at by for from to into onto with within about above across after against along among
    around before behind below beneath beside between beyond down during inside near off out
    outside over per through throughout toward towards under up upon via
    am is are was were be been being have has had having do does did doing done
    can could may might must shall should will would ought
    's 'm 're 've 'd 'll
    also too very just again once now already yet still ever even however therefore thus hence
    """.split()
)
