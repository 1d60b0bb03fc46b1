(** Strategies do not change the result.

    What each shipped kernel computes is stated in its certificate, as [computes].

    [strategies_agree]   kernels whose terms are the same without strategies leave the same
                         scalars in their outputs, however the threads of either run *)

From Coq Require Import List String.
From Vouch Require Import lib.Size array.Syntax array.Semantics schedule.Strategy.
From Vouch Require Import imp.Flat lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Certificate certify.Reading.

Theorem strategies_agree k1 k2 text1 text2 sizes K (before after1 after2 : mem K) p :
  kernel_inputs k1 = kernel_inputs k2 -> kernel_output k1 = kernel_output k2 ->
  plain (kernel_term k1) = plain (kernel_term k2) ->
  Certified k1 text1 -> Certified k2 text2 ->
  facts_hold (sizes_of sizes) (kernel_facts k1) -> facts_hold (sizes_of sizes) (kernel_facts k2) ->
  runs text1 sizes before after1 -> runs text2 sizes before after2 ->
  let r := List.length (kernel_inputs k1) in
  let D := ty_val (sizes_of sizes) (kernel_output k1) in
  inb D p -> after1 r (place_of D p) = after2 r (place_of D p).
Proof.
  intros inputs output term CERT1 CERT2 FACTS1 FACTS2 RUNS1 RUNS2 r D p_in. subst r D.
  rewrite (runs_value k1 text1 sizes K before after1 p CERT1 RUNS1 FACTS1 p_in).
  rewrite output in p_in. rewrite inputs, output.
  rewrite (runs_value k2 text2 sizes K before after2 p CERT2 RUNS2 FACTS2 p_in).
  unfold kernel_value. rewrite inputs. apply same_result, term.
Qed.
