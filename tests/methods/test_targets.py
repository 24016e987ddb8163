import numpy as np
import pytest
from networks import made_cnn, made_text, small_svm, topical

from whyword import InputError, SVMClassifier, explain, iter_explanations
from whyword.methods.targets import class_number, class_numbers, label_matrix, target_of

GROUPS = ("comp.graphics", "sci.med", "sci.space", "talk.politics.misc")


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        ("sci.spice", "did you mean sci.space"),
        ("space", "sci.space"),
        ("MED", "sci.med"),
        ("zzz", "there are comp.graphics, sci.med"),
        ("", "there are comp.graphics"),
        (None, "there is no class None"),
        (7, "there is no class 7"),
    ],
)
def test_an_unknown_class_lists_close_matches(wanted: object, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        class_number(GROUPS, wanted)


def test_labels_that_are_no_strings() -> None:
    assert class_number((0, 1, 2), 1) == 1
    assert class_number((0, 1, 2), "1") == 1
    assert class_number((0, 1, 2), np.int64(2)) == 2
    assert class_number((False, True), True) == 1
    assert class_number(("1", 1.5), 1.5) == 1


def test_targets_of_one_text_and_of_several() -> None:
    model, text = made_cnn(), made_text([0, 1, 2])
    predicted = explain(model, text)
    assert predicted.target == model.predict([text])[0] == predicted.predicted
    assert (predicted.relevance.shape, type(predicted.score)) == ((3,), float)
    every = explain(model, text, target="all")
    assert every.target == "all"
    assert every.targets == every.classes == ("class 0", "class 1", "class 2")
    for given in (["class 2", "class 0"], np.array(["class 2", "class 0"])):
        some = explain(model, text, target=given)
        assert some.target == some.targets == ("class 2", "class 0")
        np.testing.assert_allclose(some.relevance, every.relevance[:, [2, 0]], atol=1e-6)
        np.testing.assert_allclose(some.score, every.scores[[2, 0]])
    assert explain(model, text, target=["class 1"]).relevance.shape == (3, 1)
    assert explain(model, "wa", np.array("class 1")).target == "class 1"
    labels = ["class 2", "class 0", "class 1"]
    texts = np.array([made_text([0, 1]), made_text([2]), ""])
    explanations = explain(model, texts, targets=labels)
    assert [one.target for one in explanations] == labels
    for one, label in zip(explanations, labels, strict=True):
        alone = explain(model, one.text, label)
        np.testing.assert_allclose(one.relevance, alone.relevance, atol=1e-6)
    with pytest.raises(InputError, match="texts must be a list of strings"):
        explain(model, np.array("wa"))


@pytest.mark.parametrize("method", ["lrp", "gradient_input", "sensitivity", "occlusion"])
def test_a_contrast_is_the_difference_and_conserves_it(method: str) -> None:
    model, text = made_cnn((1, 2)), made_text([0, 1, 2, 6])
    pair = [explain(model, text, name, method=method) for name in ("class 1", "class 2")]
    explanation = explain(model, text, "class 1", against="class 2", method=method)
    np.testing.assert_allclose(
        explanation.relevance, pair[0].relevance - pair[1].relevance, rtol=1e-5, atol=1e-5
    )
    assert explanation.score == pytest.approx(pair[0].score - pair[1].score)
    assert explanation.against == "class 2"
    assert explanation.residual == pytest.approx(pair[0].residual - pair[1].residual, abs=1e-4)
    if method == "lrp":
        assert explanation.conserved


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target": "class 9"}, "did you mean class"),
        ({"against": "class 9"}, "did you mean class"),
        ({"target": ["class 1", "class 9"]}, "there is no class 'class 9'"),
        ({"target": []}, "name at least one class"),
        ({"target": ["class 1", "class 1"]}, "names a class twice"),
        ({"target": "class 1", "against": "class 1"}, "the same class"),
        ({"target": "class 1", "targets": ["class 1"]}, "not both"),
        ({"targets": ["class 1", "class 2"]}, "targets and texts differ in length: 2 ≠ 1"),
        ({"targets": "class 1"}, "targets takes a list"),
        ({"targets": 5}, "targets takes a list"),
        ({"ids": 5}, "ids takes a list"),
        ({"target": ["all", "class 1"]}, "say it alone"),
        ({"target": b"class 1"}, "target must be a str, not bytes"),
        ({"against": np.array(["class 1", "class 2"])}, "there is no class"),
        ({"target": [np.array(["class 1", "class 2"])]}, "there is no class"),
        ({"ids": ["a", "b"]}, "ids and texts differ in length"),
        ({"top": 0}, "top must be a whole number from 1"),
        ({"top": 2.5}, "top must be a whole number"),
        ({"top": "three"}, "top must be a whole number"),
        ({"top_classes": 2}, "has no parameter 'top_classes'"),
        ({"top": 2, "target": "class 1"}, "top is for each text's highest classes: leave target"),
        ({"top": 2, "target": "all"}, "top is for each text's highest classes"),
        ({"top": 2, "targets": ["class 1"]}, "highest classes: leave targets out"),
    ],
)
def test_unfit_targets(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        explain(made_cnn(), ["wa wb"], **given)  # type: ignore[call-overload]


def test_each_documents_highest_classes() -> None:
    model, texts = (
        made_cnn(classes=5),
        [made_text([0, 1, 2]), made_text([3, 4]), "", made_text([6])],
    )
    every = explain(model, texts, "all")
    found = explain(model, texts, top=3)
    assert len({one.target for one in found}) > 1
    for one, whole in zip(found, every, strict=True):
        highest = np.argsort(-whole.scores, kind="stable")[:3]
        assert one.target == one.targets == tuple(whole.classes[n] for n in highest)
        assert one.target[0] == one.predicted
        assert one.relevance.shape == (len(one.words), 3)
        np.testing.assert_allclose(one.relevance, whole.relevance[:, highest], atol=1e-6)
        np.testing.assert_allclose(one.score, whole.scores[highest])
        assert one.conserved
        assert one.parameters["top_classes"] == 3
    assert [one.target for one in iter_explanations(model, texts, top=3)] == [
        one.target for one in found
    ]


def test_more_classes_than_there_are_is_all_of_them() -> None:
    one = explain(made_cnn(), made_text([0, 1]), top=9)
    assert sorted(one.targets) == ["class 0", "class 1", "class 2"]
    assert one.parameters["top_classes"] == 3
    single = explain(made_cnn(), made_text([0, 1]), top=1)
    assert single.targets == (single.predicted,)
    assert single.relevance.shape == (2, 1)


def test_the_highest_classes_rather_than_another() -> None:
    model, text = made_cnn(), made_text([0, 1, 2])
    one = explain(model, text, top=2, against="class 1")
    for k, target in enumerate(one.targets):
        if target == "class 1":
            np.testing.assert_allclose(one.relevance[:, k], 0, atol=1e-6)
            continue
        alone = explain(model, text, target, against="class 1")
        np.testing.assert_allclose(one.relevance[:, k], alone.relevance, atol=1e-5)
    assert one.conserved


def test_the_highest_classes_of_phrases_elements_and_filters() -> None:
    model, text = made_cnn(), made_text([0, 1, 2, 6])
    one = explain(model, text, top=2)
    for level in ("phrase", "element"):
        detailed = explain(model, text, top=2, level=level)
        np.testing.assert_allclose(detailed.relevance, one.relevance, atol=1e-6)
    assert [p.relevance for p in one.phrases()] == pytest.approx(
        [p.relevance for p in explain(model, text, top=2, level="phrase").phrases()]
    )
    assert explain(model, text, top=2, level="filter").target == one.target


def test_equal_scores_are_in_the_order_of_the_classes() -> None:
    target = target_of(GROUPS, top_classes=3)
    scores = np.array([[1.0, 1, 1, 1], [0, 2, 0, 2]])
    assert target.numbers(scores.argmax(axis=1), scores).tolist() == [[0, 1, 2], [1, 3, 0]]
    assert target.count == 3
    assert target_of(GROUPS, top_classes=9, against="sci.med").count == 5


def test_classes_called_like_the_keywords() -> None:
    texts, labels = topical(60, 2)
    names = {"space": "all", "hockey": "predicted"}
    model = SVMClassifier(C=1.0).fit(texts, [names[label] for label in labels])
    assert explain(model, "moon", target="all").relevance.shape == (1, 2)
    assert explain(model, "moon", target=["all"]).targets == ("all",)
    assert explain(model, ["moon"], targets=["predicted"])[0].target == "predicted"


def test_two_classes_have_both_scores() -> None:
    model = small_svm(2)
    explanation = explain(model, "moon orbit", target="all")
    np.testing.assert_allclose(explanation.scores, [-explanation.scores[1], explanation.scores[1]])
    np.testing.assert_allclose(explanation.relevance[:, 0], -explanation.relevance[:, 1])


def test_a_target_counts_the_columns_of_a_contrast() -> None:
    assert target_of(GROUPS, "all", against="sci.med").count == 5
    assert target_of(GROUPS).count == 1


def test_labels_of_texts_as_a_matrix() -> None:
    given = [["sci.med", "sci.space"], (), {"sci.med"}, np.array(["comp.graphics"])]
    assert label_matrix(GROUPS, given).tolist() == [
        [False, True, True, False],
        [False] * 4,
        [False, True, False, False],
        [True, False, False, False],
    ]
    assert label_matrix(GROUPS, []).shape == (0, 4)
    assert label_matrix([1, 2], [[np.int64(2), 2, "1"]]).tolist() == [[True, True]]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["sci.med"], "a list of them, not 'sci.med'; .* taken apart by label_separator=','"),
        ([None], "a list of them, not None"),
        ([np.array("sci.med")], "a list of them, not"),
        ([["sci.mad"]], "there is no class 'sci.mad'; did you mean sci.med"),
        ([[None]], "a label must be a string or a number, not None"),
        ([[["sci.med"]]], "a label must be a string or a number, not"),
    ],
)
def test_unfit_labels_of_texts(labels: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        label_matrix(GROUPS, labels)


def test_several_labels_are_no_class() -> None:
    with pytest.raises(InputError, match=r"the labels are several each, as \('a', 'b'\)"):
        class_numbers(GROUPS, [("a", "b")])
    with pytest.raises(InputError, match="a label must be a string or a number"):
        class_numbers(GROUPS, [np.array("a")])
