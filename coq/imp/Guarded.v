(** Loops that are not entered where they have no iteration.

    The parser reads
<<
      if (0 < n)
      #pragma omp parallel for
      for (int64_t i = 0; i < n; i += 1) { .. }
>>
    as the loop alone. Where n is 0 the loop does nothing, so that nothing is missing:
    [no_iteration]. *)

From Coq Require Import Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Flat imp.Threads.

Lemma no_iteration sg K junk k i n c ie t :
  size_val sg n = 0 -> behaves sg K junk (FFor k i n c) ie t -> t = Done K.
Proof.
  intros none runs. inversion runs as [| | | |ie1 k1 i1 n1 c1 ts _ _|ie1 k1 i1 n1 c1 ts t1 _ _ mixed|]; subst.
  - rewrite none. reflexivity.
  - rewrite none in mixed. inversion mixed; subst; [reflexivity|lia|lia].
Qed.
