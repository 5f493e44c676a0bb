"""What an object keeps of its own methods."""

from dataclasses import dataclass, field, replace

from analysis._core.memo import cached_method


@dataclass(frozen=True)
class Crate:
    """A frozen object that notes each time that it weighs."""

    apples: int
    weighed: list[tuple[int, int]] = field(default_factory=list, compare=False)

    @cached_method
    def weight(self, each, empty=0):
        """Grams."""
        self.weighed.append((each, empty))
        return self.apples * each + empty


def test_a_method_is_computed_once_for_each_arguments():
    crate = Crate(3)
    assert [crate.weight(100), crate.weight(100), crate.weight(100, 50), crate.weight(200)] == [300, 300, 350, 600]
    assert crate.weighed == [(100, 0), (100, 50), (200, 0)]


def test_each_object_keeps_its_own_and_stays_what_it_is():
    crate = Crate(3)
    assert crate.weight(100) == 300
    assert replace(crate, apples=4).weight(100) == 400
    assert Crate(5).weight(100) == 500 and crate == Crate(3) and hash(crate) == hash(Crate(3))
