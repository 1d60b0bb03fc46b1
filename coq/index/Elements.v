(** The printed statement of a kernel whose text is tiled: that of its elements, one by one.

    [same_values]             two programs of one kernel in index notation have the same values
    [element_reads]           as [Computes.reads], by a program of which there is no text
    [computes_by_elements]    the tactic of such statements *)

From Coq Require Import Arith List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck.
From Vouch Require Import imp.Flat lower.Flatten lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Certificate certify.Computes.
From Vouch Require Import certify.StatesSpec certify.StatesProof.
From Vouch Require Import index.Kernel index.Lower index.LowerProof.
Import ListNotations.

Lemma inb_below sg extents : forall indices,
  inb (ty_val sg (array_ty extents)) (map Ix indices) -> below sg indices extents.
Proof.
  induction extents as [|n extents IH]; intros [|i indices]; cbn; try contradiction.
  - constructor.
  - intros [i_lt inside]. constructor; [exact i_lt | apply IH, inside].
Qed.

Section SAME.
  Context (ik : ikernel) (k e : source) (KERNEL : ComputesIndex ik k) (ELEMENTS : ComputesIndex ik e).

  Lemma same_values sg K m indices : facts_hold sg (kernel_facts e) ->
    inb (ty_val sg (kernel_output e)) (map Ix indices) ->
    kernel_value sg K k m (map Ix indices) = kernel_value sg K e m (map Ix indices).
  Proof using KERNEL ELEMENTS.
    destruct KERNEL as (_ & inputs & _ & VALUE).
    destruct ELEMENTS as (facts_e & inputs_e & output_e & VALUE_e).
    rewrite facts_e, output_e. intros FACTS inside. apply inb_below in inside.
    rewrite (VALUE sg FACTS K m indices inside), (VALUE_e sg FACTS K m indices inside).
    rewrite inputs, inputs_e. reflexivity.
  Qed.

  Theorem element_reads text sizes (K : scalars) (before after : mem K) indices address r :
    Certified k text -> kernel_states e (List.length indices) address r = true ->
    runs text sizes before after ->
    assumed (sizes_of sizes) (kernel_facts e) ->
    inb (ty_val (sizes_of sizes) (kernel_output e)) (map Ix indices) ->
    after (List.length (kernel_inputs e))
      (ixe_val (sizes_of sizes) (fun l => nth l indices 0) address) =
    Statement.statement_val (sizes_of sizes) K before (List.length indices) (cell_world K indices) r.
  Proof using KERNEL ELEMENTS.
    intros CERTIFIED checked RUNS FACTS p_in.
    rewrite <- (stated e (sizes_of sizes) K before indices address r checked).
    pose proof (same_values (sizes_of sizes) K before indices (assumed_hold _ _ FACTS) p_in) as same.
    rewrite <- same. clear same.
    destruct KERNEL as (facts & inputs & output & _).
    destruct ELEMENTS as (facts_e & inputs_e & output_e & _).
    rewrite facts_e, <- facts in FACTS. rewrite output_e, <- output in p_in.
    rewrite inputs_e, <- inputs, (address_place e (sizes_of sizes) K indices address r checked).
    rewrite output_e, <- output.
    exact (runs_value k text sizes K before after _ CERTIFIED RUNS (assumed_hold _ _ FACTS) p_in).
  Qed.
End SAME.

(** As [computes_by], where [elements] is a proof that the program [e] computes the kernel. *)
Ltac computes_by_elements e kernel elements certified RUNS indices cell r facts bounds :=
  let STATED := fresh "STATED" in
  stated_by_computation STATED e indices cell r;
  exact_no_check (element_reads _ _ e kernel elements _ _ _ _ _ indices cell r certified STATED RUNS
                    facts bounds).
