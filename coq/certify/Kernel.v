(** What a flat kernel does, under every interleaving.

    [flat_kernel G e d]     the flat program of term e, with inputs of types G and result d
    [input_values]          the inputs, as values, found in memory
    [flat_kernel_correct]   whatever the threads do, the output holds the value of e
    [flat_kernel_frame]     and nothing else changes
    [flat_kernel_safe]      all accesses are in bounds, index terms defined, loops race-free *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame imp.Safety imp.Flat.
From Vouch Require Import imp.Threads imp.ThreadsProof.
From Vouch Require Import lower.Lower lower.WritesProof lower.LowerProof lower.SafeProof.
From Vouch Require Import lower.Flatten lower.OffsetProof lower.FlattenProof.
From Vouch Require Import lower.Simple lower.Simplify lower.SimplifyProof.
From Vouch Require Import lower.Tighten lower.TightenProof.
Import ListNotations.

Definition flat_kernel (G : list ty) (e : exp) (d : ty) : fcomm :=
  tightened (simplified (flatten (kernel_types G d) (kernel (length G) e d))).

Section KERNEL.
  Context (sg : nat -> nat).

  Notation ty_val := (ty_val sg).

  (** Cell p of input v is at address [place_of .. p]. *)
  Definition input_values (K : scalars) (G : list ty) (m : mem K) : list (value K) :=
    map (fun v p => m v (place_of (ty_val (nth v G TNum)) p)) (seq 0 (length G)).

  Context (G : list ty) (e : exp) (d : ty).
  Context (TYPED : has_ty sg [] (map ty_val G) e (ty_val d)).

  Lemma flat_kernel_safe ie :
    fcomm_safe sg (extent sg (kernel_types G d)) (flat_kernel G e d) ie.
  Proof using TYPED.
    apply tightened_safe, simplify_safe; [apply unbounded|]. apply (flatten_safe sg _ (kernel_types G d)); [reflexivity|].
    apply kernel_safe, TYPED.
  Qed.

  Section RUN.
    Context (K : scalars) (junk : nat -> nat -> num K) (ie : nat -> nat) (t : tree K).
    Context (RUNS : behaves sg K junk (flat_kernel G e d) ie t) (m : mem K).

    Lemma run_in_order v a :
      run K t m v a = fexec sg K junk (flat_kernel G e d) ie m v a.
    Proof using TYPED RUNS.
      apply (race_free_run sg K junk _ ie t RUNS (extent sg (kernel_types G d))).
      apply flat_kernel_safe.
    Qed.

    Definition memory_store : store K :=
      fun v p => m v (place_of (ty_val (kernel_types G d v)) p).

    Lemma memory_values :
      map memory_store (seq 0 (length G)) = input_values K G m.
    Proof using.
      clear. apply map_ext_in. intros v v_in. apply in_seq in v_in.
      unfold memory_store, kernel_types. rewrite app_nth1 by lia. reflexivity.
    Qed.

    Theorem flat_kernel_correct p : inb (ty_val d) p ->
      run K t m (length G) (place_of (ty_val d) p) = eval sg K [] (input_values K G m) e p.
    Proof using TYPED RUNS.
      intros p_in. rewrite run_in_order, <- memory_values.
      pose proof (flatten_correct sg K junk (kernel (length G) e d) (kernel_types G d) ie
                    memory_store m (kernel_safe sg G e d ie TYPED) (fun _ _ _ => eq_refl)
                    (length G) p) as SIM.
      rewrite kernel_types_output in SIM. unfold flat_kernel.
      rewrite (tightened_exec sg K junk _ ie m m (fun _ _ => eq_refl)).
      rewrite (simplify_exec sg K junk _ no_bounds [] ie m m (unbounded sg ie) (fun _ _ => eq_refl)), (SIM p_in).
      replace (length G) with (length (map ty_val G)) by apply map_length.
      apply kernel_correct; assumption.
    Qed.

    Theorem flat_kernel_frame v a : ~ (v = length G /\ a < cells (ty_val d)) ->
      run K t m v a = m v a.
    Proof using TYPED RUNS.
      intros other. rewrite run_in_order. apply fexec_frame. intros writes. apply other.
      apply tightened_writes in writes. apply (simplify_writes sg _ no_bounds [] ie _ (unbounded sg ie)) in writes.
      apply (flatten_touches sg _ _ ie v a (kernel_safe sg G e d ie TYPED)) in writes.
      destruct writes as (q & writes & q_in & a_eq).
      destruct (lower_writes sg [] _ e _ TYPED) as [_ A_ok].
      assert (SC := inputs_scoped (length G)).
      destruct (A_ok d _ _ [] (inputs (length G)) (AVar (length G)) ie _ eq_refl
                  SC I (le_n _) writes) as [same (r & r_in & path_r)].
      simpl in same, path_r. rewrite same, kernel_types_output in *.
      split; [reflexivity|]. rewrite a_eq. apply place_below, q_in.
    Qed.
  End RUN.
End KERNEL.
