(** Certificates.

    A certificate is data: a [source] and a C text. [certifies] checks it by computation;
    [certifies_sound] says what the check gives. A certificate file consists of the data and
<<
      Theorem checked : certifies source text = true.
      Proof. vm_cast_no_check (eq_refl true). Qed.
>>
    [source]      a kernel: its names, its types, its term, the facts assumed of its sizes
    [program]     its flat program
    [limits]      sizes that must stay below 2^63 for the index arithmetic to be exact
    [Certified]   what is known of the text *)

From Coq Require Import ZArith NArith List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import array.Check array.CheckProof.
From Vouch Require Import imp.Flat imp.Threads imp.ThreadsProof imp.Int64.
From Vouch Require Import lower.SafeProof lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Print certify.Names.
Import ListNotations.

Record source : Type := {
  kernel_name : string;
  kernel_names : names;
  kernel_facts : list fact;
  kernel_inputs : list ty;
  kernel_output : ty;
  kernel_term : exp
}.

Definition program (k : source) : fcomm :=
  flat_kernel (kernel_inputs k) (kernel_term k) (kernel_output k).

Definition print (k : source) : string :=
  c_text (kernel_name k) (kernel_names k) (kernel_inputs k) (program k).

(** No loop variable is in scope at first: a bound that never fits stands for none. *)
Definition no_bound (_ : nat) : size := SConst (2 ^ 63).

Definition limits (k : source) : list size := fcomm_limits no_bound (program k).

Definition arity_ok (k : source) : bool :=
  Nat.eqb (List.length (var_names (kernel_names k))) (S (List.length (kernel_inputs k))).

Definition certifies (k : source) (text : string) : bool :=
  has (infer (kernel_facts k) [] (kernel_inputs k) (kernel_term k)) (kernel_output k) &&
  arity_ok k && names_ok (kernel_name k) (kernel_names k) && consts_ok (program k) &&
  String.eqb (print k) text.

(** The value of the kernel at path p, from the inputs found in memory m. *)
Definition kernel_value (sg : nat -> nat) (K : scalars) (k : source) (m : mem K) : value K :=
  eval sg K [] (input_values sg K (kernel_inputs k) m) (kernel_term k).

Definition Certified (k : source) (text : string) : Prop :=
  (* the text is the printed form of the program *)
  print k = text /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let r := List.length (kernel_inputs k) in
  let D := ty_val sg (kernel_output k) in
  (* for any scalars, any contents of new variables, any memory, and any interleaving t *)
  forall K junk ie m t, behaves sg K junk (program k) ie t ->
  (* the output holds the value of the kernel *)
  (forall p, inb D p -> run K t m r (place_of D p) = kernel_value sg K k m p) /\
  (* nothing else has changed *)
  (forall v a, ~ (v = r /\ a < cells D) -> run K t m v a = m v a) /\
  (* all accesses are in bounds, index terms are defined, concurrent loops have no race *)
  fcomm_safe sg (extent sg (kernel_types (kernel_inputs k) (kernel_output k))) (program k) ie /\
  (* 64 bits are enough for all indices, if the limits are below 2^63 *)
  (Forall (fits sg) (limits k) -> fcomm_int64 sg (program k) ie).

Lemma no_bound_bounded sg ie : bounded sg no_bound ie.
Proof.
  intros i small. exfalso. revert small. unfold fits, no_bound, max_int64.
  cbn [size_val]. rewrite N_nat_Z. discriminate.
Qed.

Theorem certifies_sound k text : certifies k text = true -> Certified k text.
Proof.
  unfold certifies. intros checked. apply andb_true_iff in checked as [checked same].
  do 3 apply andb_true_iff in checked as [checked _].
  apply String.eqb_eq in same. split; [exact same|].
  intros sg FACTS r D K junk ie m t RUNS.
  assert (TYPED : has_ty sg [] (map (ty_val sg) (kernel_inputs k)) (kernel_term k) D).
  { apply (has_sound sg (kernel_facts k) [] (kernel_inputs k)); [|exact checked].
    intros d1. apply (infer_sound sg (kernel_facts k) FACTS). }
  pose proof (flat_kernel_safe sg _ _ _ TYPED ie) as SAFE.
  split; [|split; [|split; [exact SAFE|]]].
  - intros p p_in. apply (flat_kernel_correct sg _ _ _ TYPED K junk ie t RUNS m p p_in).
  - intros v a other. apply (flat_kernel_frame sg _ _ _ TYPED K junk ie t RUNS m v a other).
  - intros small.
    exact (fcomm_limits_sound sg _ no_bound _ ie (no_bound_bounded sg ie) SAFE small).
Qed.
