"""One rule, and one model on which it may fire: what `vouch optimize` does there, and what `why-not` says."""
import json


class RuleSite:
    def __init__(self, vouch, checks, folder, rule, text, model):
        """`reasons` is nothing where optimize fails, which is a failed check."""
        self.vouch, self.rule, self.reasons = vouch, rule, None
        self.rules, self.path = folder / f"{rule}.gsl", folder / "model.json"
        self.rules.write_text(f"rule {rule} {{ {text} }}\n")
        self.path.write_text(json.dumps(model))
        code, out, errors = vouch("optimize", self.path, "--rules", self.rules, "-o", folder / "out.json", "--json", "-")
        checks.that(code == 0, f"{rule} {model}: exit {code}: {errors}")
        if code == 0:
            summary = json.loads(out)
            self.fired = summary["rules"][0]["fired"] if summary["rules"] else 0
            self.reasons = [refusal["reason"] for refusal in summary["refusals"]]

    def why_not(self):
        code, out, errors = self.vouch("why-not", self.rule, self.path, "--rules", self.rules)
        return out + errors
