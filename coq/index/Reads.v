(** Functional programs that kernels in index notation compute: a verified reader.

    A program that is affine - maps, sums, layouts, lets - says of each element what a kernel in index
    notation says of it. That this is so is decided by one boolean: both are brought, by computation,
    to the same statement of one element, in which nothing is stored, every index is a term over the
    element's indices and those of the sums, and every addition stands where it is done. No law of
    arithmetic is used: what is equal is so bit for bit.

    [elements_of]   the kernel's elements one by one, beside the program
    [reads_as]      the boolean: the program reads as the kernel, and each element as the statement
    [ReadsAs]       what that means, for all sizes, inputs and scalars
    [reads_as_sound]
    [text_of_program]   a certified text of the kernel computes the program *)

From Coq Require Import Arith List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck array.Check.
From Vouch Require Import imp.Flat imp.Threads lower.Flatten lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Parse certify.Certificate.
From Vouch Require Import certify.Statement certify.States certify.Computes.
From Vouch Require Import index.Kernel index.Lower index.LowerProof.
Import ListNotations.

Definition ty_eq_dec (d e : ty) : {d = e} + {d <> e}.
Proof. decide equality. apply size_eq_dec. Defined.

Definition fact_eq_dec (f g : fact) : {f = g} + {f <> g}.
Proof. decide equality; apply size_eq_dec. Defined.

(** The element-by-element program of the kernel, with the names of [f]. *)
Definition elements_of (f : source) (ik : ikernel) : source := {|
  kernel_name := kernel_name f;
  kernel_names := kernel_names f;
  kernel_facts := ik_facts ik;
  kernel_inputs := ik_inputs ik;
  kernel_output := array_ty (st_extents (ik_output ik));
  kernel_term := lower ik |}.

(** What [k] says of the cell at index variables 0, 1, ... *)
Definition says (k : source) (n : nat) (r : Statement.statement) : bool :=
  kernel_states k n (offset_term (kernel_output k) (bound_path 0 n)) r.

(** What [f] assumes of its sizes is assumed by the kernel. *)
Definition facts_among (f all : list fact) : bool :=
  forallb (fun a => if in_dec fact_eq_dec a all then true else false) f.

Definition reads_as (f : source) (ik : ikernel) (r : Statement.statement) : bool :=
  let n := List.length (st_extents (ik_output ik)) in
  facts_among (kernel_facts f) (ik_facts ik) &&
  (if list_eq_dec ty_eq_dec (kernel_inputs f) (ik_inputs ik) then true else false) &&
  (if ty_eq_dec (kernel_output f) (array_ty (st_extents (ik_output ik))) then true else false) &&
  has (infer (kernel_facts f) [] (kernel_inputs f) (kernel_term f)) (kernel_output f) &&
  reads_ok ik && says f n r && says (elements_of f ik) n r.

(** [f] and the kernel have the same inputs and output, and the same value at every element. *)
Definition ReadsAs (f : source) (ik : ikernel) : Prop :=
  kernel_inputs f = ik_inputs ik /\
  kernel_output f = array_ty (st_extents (ik_output ik)) /\
  forall sg, facts_hold sg (ik_facts ik) -> facts_hold sg (kernel_facts f) /\
  forall K m indices, below sg indices (st_extents (ik_output ik)) ->
    kernel_value sg K f m (map Ix indices) =
    ikernel_val sg K (map (tensor_of K) (input_values sg K (kernel_inputs f) m)) ik indices.

Lemma facts_among_hold sg f all :
  facts_among f all = true -> facts_hold sg all -> facts_hold sg f.
Proof.
  unfold facts_among. rewrite forallb_forall. intros listed FACTS a b there. apply FACTS.
  specialize (listed (a, b) there). destruct (in_dec fact_eq_dec (a, b) all); [assumption|discriminate].
Qed.

Lemma below_length sg indices : forall extents, below sg indices extents ->
  List.length indices = List.length extents.
Proof.
  induction indices as [|i indices IH]; intros [|n extents] INSIDE; inversion INSIDE; [reflexivity|].
  cbn. f_equal. apply IH. assumption.
Qed.

Theorem reads_as_sound f ik r : reads_as f ik r = true -> ReadsAs f ik.
Proof.
  unfold reads_as. rewrite !andb_true_iff. intros [[[[[[facts inputs] output] _] ok] program] elements].
  destruct (list_eq_dec _ _ _) as [inputs_are|]; [|discriminate].
  destruct (ty_eq_dec _ _) as [output_is|]; [|discriminate].
  split; [exact inputs_are|]. split; [exact output_is|].
  intros sg FACTS. split; [exact (facts_among_hold sg _ _ facts FACTS)|].
  intros K m indices INSIDE.
  pose proof (below_length sg indices _ INSIDE) as RANK.
  unfold says in program, elements. rewrite <- RANK in program, elements.
  rewrite (stated f sg K m indices _ r program), <- (stated _ sg K m indices _ r elements).
  unfold kernel_value. cbn [elements_of kernel_inputs kernel_term]. rewrite <- inputs_are.
  apply lower_correct; assumption.
Qed.

(** Every cell of an array of numbers is an element. *)
Lemma inb_indices sg extents : forall p, inb (ty_val sg (array_ty extents)) p ->
  exists indices, p = map Ix indices /\ below sg indices extents.
Proof.
  induction extents as [|n extents IH]; intros [|[i| |] p]; cbn; try contradiction.
  - intros _. exists []. split; [reflexivity|constructor].
  - intros [i_lt inside]. destruct (IH p inside) as (indices & p_is & INSIDE).
    exists (i :: indices). split; [cbn; congruence|]. constructor; assumption.
Qed.

(** The programs of one kernel have the same values. *)
Theorem reads_computes f ik k : ReadsAs f ik -> ComputesIndex ik k ->
  kernel_inputs k = kernel_inputs f /\ kernel_output k = kernel_output f /\
  forall sg, facts_hold sg (kernel_facts k) ->
  forall K m p, inb (ty_val sg (kernel_output k)) p ->
    kernel_value sg K k m p = kernel_value sg K f m p.
Proof.
  intros (inputs & output & READ) (facts_k & inputs_k & output_k & VALUE).
  split; [congruence|]. split; [congruence|].
  intros sg FACTS K m p p_in. rewrite output_k in p_in.
  destruct (inb_indices sg _ p p_in) as (indices & p_is & INSIDE). rewrite p_is.
  rewrite facts_k in FACTS. destruct (READ sg FACTS) as [_ SAME].
  rewrite (SAME K m indices INSIDE), (VALUE sg FACTS K m indices INSIDE), inputs_k, inputs.
  reflexivity.
Qed.

(** All together: however its threads are interleaved, the text leaves in its output what the program
    says. *)
Theorem text_of_program f ik k text : Certified k text -> ComputesIndex ik k -> ReadsAs f ik ->
  exists file, parse text = Some file /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let D := ty_val sg (kernel_output f) in
  forall K junk ie m t, behaves sg K junk (file_body file) ie t ->
  forall p, inb D p ->
  run K t m (List.length (kernel_inputs f)) (place_of D p) = kernel_value sg K f m p.
Proof.
  intros [(_ & parsed & COMPUTES & _) _] INDEX READ.
  destruct (reads_computes f ik k READ INDEX) as (inputs & output & SAME).
  exists (file_of k). split; [exact parsed|]. intros sg FACTS D K junk ie m t RUNS p p_in.
  destruct (COMPUTES sg FACTS K junk ie m t RUNS) as (result & _).
  subst D. rewrite <- output in p_in |- * . rewrite <- inputs.
  etransitivity; [exact (result p p_in) | exact (SAME sg FACTS K m p p_in)].
Qed.
