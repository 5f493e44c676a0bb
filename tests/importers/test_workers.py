"""Work over processes: what one process gives."""


def test_processes_give_what_one_gives(tree, bring):
    for number in range(40):
        log = tree.log_text(
            result_samples_per_second=number + 1.0, result_validity="INVALID" if number == 7 else "VALID"
        )
        tree.run(f"model{number:02}", log=log)
    for number in range(40):
        tree.write(f"closed/Acme/results/acme/model{number:02}/Offline/accuracy/accuracy.txt", "accuracy=75.9%\n")
    alone, workers = bring(tree.root, workers=1), bring(tree.root, workers=2)
    assert alone.table == workers.table and alone.problems == workers.problems
    assert len(alone.table) + len(alone.problems) == 40
